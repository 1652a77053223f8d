package account

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Balance is the balance of an account in one coin.
type Balance struct {
	Available affiliate.Number
	Locked    affiliate.Number // locked by open orders
}

// purse is the balance in one coin.
type purse struct{ Available, Locked decimal.Decimal }

func (p *purse) Total() decimal.Decimal { return p.Available.Add(p.Locked) }

// lock sets an amount aside and reports whether enough was available.
func (p *purse) lock(amount decimal.Decimal) bool {
	if p.Available.LessThan(amount) {
		return false
	}
	p.Available, p.Locked = p.Available.Sub(amount), p.Locked.Add(amount)
	return true
}

// release unlocks an amount.
func (p *purse) release(amount decimal.Decimal) {
	p.Available, p.Locked = p.Available.Add(amount), p.Locked.Sub(amount)
}

// Wallet is one of a user's accounts: spot or funding.
type Wallet map[affiliate.Coin]*purse

func (w Wallet) of(coin affiliate.Coin) *purse {
	p := w[coin]
	if p == nil {
		p = &purse{}
		w[coin] = p
	}
	return p
}

// Balances returns a copy of the wallet.
func (w Wallet) Balances() map[affiliate.Coin]Balance {
	all := map[affiliate.Coin]Balance{}
	for coin, p := range w {
		all[coin] = Balance{NumberOf(p.Available), NumberOf(p.Locked)}
	}
	return all
}

// NumberOf writes a decimal without an exponent and without trailing zeros.
func NumberOf(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()).Canonical() }
