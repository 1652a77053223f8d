package simulator

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Balance is what an account holds of a coin.
type Balance struct {
	Available affiliate.Number
	Locked    affiliate.Number // by open orders
}

// purse is what is held of one coin.
type purse struct{ available, locked decimal.Decimal }

func (p *purse) total() decimal.Decimal { return p.available.Add(p.locked) }

// lock sets an amount aside and reports whether there was as much.
func (p *purse) lock(amount decimal.Decimal) bool {
	if p.available.LessThan(amount) {
		return false
	}
	p.available, p.locked = p.available.Sub(amount), p.locked.Add(amount)
	return true
}

// release gives back what was set aside.
func (p *purse) release(amount decimal.Decimal) {
	p.available, p.locked = p.available.Add(amount), p.locked.Sub(amount)
}

// wallet is one of the accounts of a user: spot or funding.
type wallet map[affiliate.Coin]*purse

func (w wallet) of(coin affiliate.Coin) *purse {
	p := w[coin]
	if p == nil {
		p = &purse{}
		w[coin] = p
	}
	return p
}

// balances copies the wallet.
func (w wallet) balances() map[affiliate.Coin]Balance {
	all := map[affiliate.Coin]Balance{}
	for coin, p := range w {
		all[coin] = Balance{numberOf(p.available), numberOf(p.locked)}
	}
	return all
}

// numberOf writes a decimal plainly and without trailing zeros.
func numberOf(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()).Canonical() }
