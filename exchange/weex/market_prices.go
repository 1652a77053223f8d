package weex

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// Ticker holds the last 24 hours of a spot pair (section 2).
type Ticker struct {
	Symbol             string           `json:"symbol"`
	PriceChange        affiliate.Number `json:"priceChange"`
	PriceChangePercent affiliate.Number `json:"priceChangePercent"` // a fraction despite its name: multiply by 100 to show
	Trades             int              `json:"trades"`             // number of trades; -1 if unknown
	Size               affiliate.Number `json:"size"`               // volume in base currency
	Value              affiliate.Number `json:"value"`              // volume in quote currency
	High               affiliate.Number `json:"high"`
	Low                affiliate.Number `json:"low"`
	Open               affiliate.Number `json:"open"`
	Close              affiliate.Number `json:"close"`
	HighTime           affiliate.Millis `json:"highTime"`
	LowTime            affiliate.Millis `json:"lowTime"`
	StartTime          affiliate.Millis `json:"startTime"` // of the 24 hours
	EndTime            affiliate.Millis `json:"endTime"`
	LastPrice          affiliate.Number `json:"lastPrice"`
	OpenInterest       affiliate.Number `json:"openInterest"`
	Time               affiliate.Millis `json:"ts"` // of the exchange's clock
}

// readTicker reads a ticker, which may omit the number of trades.
func readTicker(r *wire.Decoder, t *Ticker) {
	t.Trades = -1
	wire.ReadRow(r, t)
}

// Lacks names a required field that is missing.
func (t *Ticker) Lacks() (field, why string) {
	switch {
	case t.Symbol == "":
		return "symbol", wire.Absent
	}
	return "", ""
}

// Spares reports whether no figure needs a field: conversions and orders need the price and
// its time.
func (t *Ticker) Spares(field string) bool {
	return field != "symbol" && field != "lastPrice" && field != "ts"
}

// Trade is a public trade (section 2).
type Trade struct {
	Symbol       wire.FreeText    `json:"symbol"` // may be empty: the query already named it
	TradeID      string           `json:"tradeId"`
	FillTime     affiliate.Millis `json:"fillTime"`
	FillPrice    affiliate.Number `json:"fillPrice"`
	FillQuantity affiliate.Number `json:"fillQuantity"`
	TradeValue   affiliate.Number `json:"tradeValue"` // price times quantity
	BestMatch    affiliate.Flag   `json:"bestMatch"`  // fully matched
	BuyerMaker   affiliate.Flag   `json:"buyerMaker"` // the buyer's order rested in the book
}

// Lacks names a required field that is missing.
func (t *Trade) Lacks() (field, why string) {
	switch {
	case t.TradeID == "":
		return "tradeId", wire.Absent
	case !t.FillTime.Known():
		return "fillTime", wire.Absent
	case !t.FillPrice.Known():
		return "fillPrice", wire.Absent
	case !t.FillQuantity.Known():
		return "fillQuantity", wire.Absent
	}
	return "", ""
}

// Spares reports whether no figure needs a field.
func (t *Trade) Spares(field string) bool {
	return field == "tradeValue" || field == "bestMatch" || field == "symbol"
}
