package exchange

import "rebatedesk/affiliate"

// Ticker is the last 24 hours of a spot pair (section 2).
type Ticker struct {
	Symbol             string
	PriceChange        affiliate.Number
	PriceChangePercent affiliate.Number // a fraction in spite of its name: times 100 to show
	Trades             int              // how many; -1 is unknown
	Size               affiliate.Number // volume in base currency
	Value              affiliate.Number // volume in quote currency
	High, Low          affiliate.Number
	Open, Close        affiliate.Number
	HighTime, LowTime  affiliate.Millis
	StartTime, EndTime affiliate.Millis // of the 24 hours
	LastPrice          affiliate.Number
	OpenInterest       affiliate.Number
	Time               affiliate.Millis // "ts", of the exchange's clock
}

func readTicker(r *reader) Ticker {
	t := Ticker{Trades: -1}
	for r.token(); r.members(); {
		switch string(r.name) {
		case "symbol":
			t.Symbol = r.identity()
		case "priceChange":
			t.PriceChange = r.number()
		case "priceChangePercent":
			t.PriceChangePercent = r.number()
		case "trades":
			t.Trades = r.count()
		case "size":
			t.Size = r.number()
		case "value":
			t.Value = r.number()
		case "high":
			t.High = r.number()
		case "low":
			t.Low = r.number()
		case "open":
			t.Open = r.number()
		case "close":
			t.Close = r.number()
		case "highTime":
			t.HighTime = r.millis()
		case "lowTime":
			t.LowTime = r.millis()
		case "startTime":
			t.StartTime = r.millis()
		case "endTime":
			t.EndTime = r.millis()
		case "lastPrice":
			t.LastPrice = r.number()
		case "openInterest":
			t.OpenInterest = r.number()
		case "ts":
			t.Time = r.millis()
		default:
			r.skip()
		}
	}
	r.need("symbol", t.Symbol != "")
	return t
}

// Trade is a public trade, of whoever made it (section 2).
type Trade struct {
	Symbol       string // may be empty: it was asked for
	TradeID      string
	FillTime     affiliate.Millis
	FillPrice    affiliate.Number
	FillQuantity affiliate.Number
	TradeValue   affiliate.Number // price times quantity
	BestMatch    affiliate.Flag   // wholly matched
	BuyerMaker   affiliate.Flag   // the buyer's order rested in the book
}

func readTrade(r *reader) Trade {
	var t Trade
	for r.token(); r.members(); {
		switch string(r.name) {
		case "symbol":
			t.Symbol = r.text()
		case "tradeId":
			t.TradeID = r.identity()
		case "fillTime":
			t.FillTime = r.millis()
		case "fillPrice":
			t.FillPrice = r.number()
		case "fillQuantity":
			t.FillQuantity = r.number()
		case "tradeValue":
			t.TradeValue = r.number()
		case "bestMatch":
			t.BestMatch = r.flag()
		case "buyerMaker":
			t.BuyerMaker = r.flag()
		default:
			r.skip()
		}
	}
	r.need("tradeId", t.TradeID != "")
	r.need("fillTime", t.FillTime.Known())
	r.need("fillPrice", t.FillPrice.Known())
	r.need("fillQuantity", t.FillQuantity.Known())
	return t
}
