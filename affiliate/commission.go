package affiliate

// Commission is one affiliate commission record (section 2 of the interface
// document). The exchange gives it no id: two equal records are two records.
// Commission is comparable, so a multiset of them is a map to a count.
type Commission struct {
	DealTime    Millis  // when it was earned; "date" or "dealTime" on the wire
	UID         UID     // the invited user
	Product     Product // from the record, else from the request
	Symbol      string  // trading pair
	Source      Source
	Coin        Coin   // the coin of Fee and Commission
	TakerAmount Number // trading volume as taker
	MakerAmount Number // trading volume as maker
	Fee         Number // net trading fee, in Coin
	Rate        Number // rebate rate, a fraction: 0.1 is 10 %
	Commission  Number // paid commission, in Coin
}

// At returns when it was earned.
func (c Commission) At() Millis { return c.DealTime }

// Key returns the record with its numbers in canonical form: records that differ only in
// how a number is written have the same key.
func (c Commission) Key() Commission {
	c.TakerAmount = c.TakerAmount.Canonical()
	c.MakerAmount = c.MakerAmount.Canonical()
	c.Fee = c.Fee.Canonical()
	c.Rate = c.Rate.Canonical()
	c.Commission = c.Commission.Canonical()
	return c
}

// CommissionFields are the fields of a commission, once for all that has a column for each: the
// database, pages, files, their description, the SQL view and the simulator. A new one comes last.
var CommissionFields = Fields[Commission]{
	{Column: "deal_time_ms", Name: "time", Kind: TimeField, Label: "Time",
		Words:  "When the trade was made, in milliseconds since 1970, UTC.",
		Target: func(c *Commission) any { return (*int64)(&c.DealTime) }},
	{Column: "uid", Name: "uid", Kind: UIDField, Label: "UID",
		Words:  "UID of the invitee at the exchange. Digits, but not a number.",
		Target: func(c *Commission) any { return (*string)(&c.UID) }},
	{Column: "product_type", Stored: "product", Name: "product", Kind: TextField, Label: "Product", Chosen: true,
		Words:  "Product: SPOT, FUTURES and others, as the exchange names it.",
		Target: func(c *Commission) any { return (*string)(&c.Product) }},
	{Column: "symbol", Name: "symbol", Kind: TextField, Label: "Pair", Chosen: true,
		Words:  "Trading pair, as the exchange writes it.",
		Target: func(c *Commission) any { return &c.Symbol }},
	{Column: "source_type", Stored: "source", Name: "source", Kind: TextField, Label: "Sub", Chosen: true,
		Hint:   "Marked: a client of a sub-agent. Unmarked: a client of our own",
		Words:  "direct: an own invitee; sub: a client of a sub-agent.",
		Target: func(c *Commission) any { return (*string)(&c.Source) }},
	{Column: "coin", Name: "coin", Kind: CoinField, Label: "Coin", Hint: "The coin of fee and commission",
		Words:  "Coin of the amounts in this row. Amounts of different coins are never added.",
		Target: func(c *Commission) any { return (*string)(&c.Coin) }},
	{Column: "taker_amount", Name: "taker", Kind: VolumeField, Label: "Taker ≈", Chosen: true,
		Hint:   "Trading volume as taker, ≈ quote currency; the exchange does not document the unit",
		Words:  "Volume as taker, about in the quote currency: the exchange documents no unit.",
		Target: func(c *Commission) any { return (*string)(&c.TakerAmount) }},
	{Column: "maker_amount", Name: "maker", Kind: VolumeField, Label: "Maker ≈", Chosen: true,
		Hint:   "Trading volume as maker, ≈ quote currency; the exchange does not document the unit",
		Words:  "Volume as maker, about in the quote currency.",
		Target: func(c *Commission) any { return (*string)(&c.MakerAmount) }},
	{Column: "fee", Name: "fee", Kind: AmountField, Label: "Fee paid", Hint: "Fee paid by the invitee", Chosen: true,
		Words:  "Trading fee, in coin.",
		Target: func(c *Commission) any { return (*string)(&c.Fee) }},
	{Column: "rate", Name: "rate", Kind: RateField, Label: "Rate", Chosen: true,
		Hint:   "As the exchange states it: the part of the fee that is paid as commission. Open it for why the record brought what it did",
		Words:  "Rebate rate that the exchange states, a fraction.",
		Target: func(c *Commission) any { return (*string)(&c.Rate) }},
	{Column: "commission", Name: "commission", Kind: AmountField, Label: "Commission",
		Words:  "Commission, in coin. Negative if it was taken back.",
		Target: func(c *Commission) any { return (*string)(&c.Commission) }},
}

// Summed has a T for each amount of commissions that is added up, such as its sum. Whatever stores,
// adds up, compares or shows these sums ranges over All, [SummedFields] or [Metrics].
type Summed[T any] struct {
	Fee         T `json:"fee,omitempty"`
	Commission  T `json:"commission,omitempty"`
	TakerAmount T `json:"taker_amount,omitempty"`
	MakerAmount T `json:"maker_amount,omitempty"`
}

// All are the amounts in the order in which they are stored: a new one comes last, and needs roll-ups
// made anew.
func (s *Summed[T]) All() [summedAmounts]*T {
	return [...]*T{&s.Fee, &s.Commission, &s.TakerAmount, &s.MakerAmount}
}

// Summed are the amounts of the record that are added up, in the order of [Summed.All].
func (c *Commission) Summed() [summedAmounts]*Number {
	return [...]*Number{&c.Fee, &c.Commission, &c.TakerAmount, &c.MakerAmount}
}

const summedAmounts = 4

// Metrics are what is added up over commissions and shown by tables and charts. The first is the
// usual one.
var Metrics = []Metric{
	{Name: "commission", Label: "Commission", Title: "Commission", Columns: []string{"commission"}},
	{Name: "fees", Label: "Fees", Title: "Fees paid by invitees", Columns: []string{"fee"}},
	{Name: "volume", Label: "Volume", Title: "Volume", Columns: []string{"taker_amount", "maker_amount"}},
}
