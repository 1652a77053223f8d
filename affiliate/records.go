package affiliate

import "time"

// Invitee is one affiliate invited-user record (section 2). A time that the exchange did
// not give is unknown, which does not mean "never".
type Invitee struct {
	UID          UID
	InviteCode   string
	RegisterTime Millis
	KYC          Flag
	FirstDeposit Millis
	FirstTrade   Millis // can precede RegisterTime
	LastDeposit  Millis
	LastTrade    Millis
}

// SubAffiliateDay is one sub-affiliate record (section 2): what one
// sub-affiliate brought on one day with one product. PaidCommission is what
// the sub-affiliate was paid and is never added to our own commission.
type SubAffiliateDay struct {
	UID            UID
	Product        Product // from the record, else from the request
	Date           Day     // a UTC day
	TradingVolume  Number
	NetTradingFee  Number
	PaidCommission Number
}

// At returns when the user registered.
func (i Invitee) At() Millis { return i.RegisterTime }

// At returns when the day begins, unknown if the day is.
func (d SubAffiliateDay) At() Millis {
	if d.Date == 0 {
		return 0
	}
	return MillisOf(d.Date.Start(time.UTC))
}

// At returns when the balance changed.
func (b Bill) At() Millis { return b.Created }

// At returns when the coins moved.
func (t Transfer) At() Millis { return t.Time }

// Key returns the record with its numbers in canonical form.
func (d SubAffiliateDay) Key() SubAffiliateDay {
	d.TradingVolume = d.TradingVolume.Canonical()
	d.NetTradingFee = d.NetTradingFee.Canonical()
	d.PaidCommission = d.PaidCommission.Canonical()
	return d
}

// Bill is one change of a wallet's balance (4.14, 4.15). Bill is comparable, so a multiset
// of them is a map to a count.
type Bill struct {
	Wallet    Wallet
	ID        string // "billId"
	CoinID    string // "" = not given
	Coin      Coin
	Business  string // "bizType": an unknown one is kept unchanged
	Amount    Number // the change, in Coin; negative: what left the wallet
	Balance   Number // after the change
	Fees      Number
	FillSize  Number // of trades, in the spot wallet only
	FillValue Number // of trades, in the spot wallet only
	Created   Millis
}

// Key returns the bill with its numbers in canonical form.
func (b Bill) Key() Bill {
	b.Amount = b.Amount.Canonical()
	b.Balance = b.Balance.Canonical()
	b.Fees = b.Fees.Canonical()
	b.FillSize = b.FillSize.Canonical()
	b.FillValue = b.FillValue.Canonical()
	return b
}

// Transfer is a movement between two accounts of one user (4.16). The exchange gives it no
// id: two equal transfers are two transfers.
type Transfer struct {
	Coin       Coin
	Status     string // an unknown one is kept unchanged
	FromType   string // kind of account; with isolated margin, the pair is FromSymbol
	FromSymbol string
	ToType     string
	ToSymbol   string
	Amount     Number
	Time       Millis
}

// Key returns the transfer with its amount in canonical form.
func (t Transfer) Key() Transfer {
	t.Amount = t.Amount.Canonical()
	return t
}
