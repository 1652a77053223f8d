package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/account"
)

// The methods of this file show what no endpoint does, for tests.

// Balances are those of the spot account as of now, by coin.
func (s *Simulator) Balances() map[affiliate.Coin]account.Balance {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().Spot.Balances()
}

// FundingBalances are those of the funding account as of now, by coin.
func (s *Simulator) FundingBalances() map[affiliate.Coin]account.Balance {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().Funding.Balances()
}

// Price is the price of a spot pair now, or the mark price of a contract pair;
// unknown where there is no such pair.
func (s *Simulator) Price(symbol string) affiliate.Number {
	if m := s.marketOf(symbol); m != nil {
		return affiliate.Number(m.Text(m.At(s.now())))
	}
	if c := s.contractOf(symbol); c != nil {
		return affiliate.Number(c.Mark.Text(c.Mark.At(s.now())))
	}
	return ""
}

// TriggerOrders are those that have been accepted, oldest first, as of now.
func (s *Simulator) TriggerOrders() []account.PlacedTrigger {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().PlacedTriggers()
}
