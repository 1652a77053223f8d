package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

// The methods in this file show, for tests, what no endpoint shows.

// Balances returns the balances of the spot account as of now, by coin.
func (s *Simulator) Balances() map[affiliate.Coin]account.Balance {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().Spot.Balances()
}

// FundingBalances returns the balances of the funding account as of now, by coin.
func (s *Simulator) FundingBalances() map[affiliate.Coin]account.Balance {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().Funding.Balances()
}

// Price returns the current price of a spot pair, or the mark price of a contract pair. It
// is unknown if the pair does not exist.
func (s *Simulator) Price(symbol string) affiliate.Number {
	if m := s.marketOf(symbol); m != nil {
		return affiliate.Number(m.Text(m.At(s.now())))
	}
	if c := s.contractOf(symbol); c != nil {
		return affiliate.Number(c.Mark.Text(c.Mark.At(s.now())))
	}
	return ""
}

// TriggerOrders returns the accepted trigger orders as of now, oldest first.
func (s *Simulator) TriggerOrders() []account.PlacedTrigger {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().PlacedTriggers()
}
