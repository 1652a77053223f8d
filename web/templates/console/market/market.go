// Package market draws the overview of the console and the pages of pairs.
package market

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// MarketView is the page of one pair. What is drawn of it is the same for all users.
type MarketView struct {
	frame.PairView
	Chart    charts.Candles
	Rows     int        // how many trades are listed
	Unread   string     // what could not be read of the newest answer about trades, in sentences
	Marked   bool       // a favourite of the reader
	Watched  []PairCard // the reader's favourites, as links from pair to pair
	CancelID string     // of the form that cancels, which takes effect once
	Had      string     // the state of its parts, for that stream
	Table    bool       // the candles are listed
	Hidden   []string   // averages that the reader hid, by their ids; there may be other names
	Hides    bool       // the address says which

	Ticket templ.Component // nil: the reader sends no orders
}

// averages returns the averages that the chart may have: candles of contracts have no volume.
func (v MarketView) averages() []charts.PriceAverage {
	return slices.DeleteFunc(slices.Clone(v.Chart.Averages), func(a charts.PriceAverage) bool { return a.OfVolume && v.Contract() })
}

// hiddenAverages names the averages that the reader hid.
func (v MarketView) hiddenAverages() string {
	var names []string
	for _, a := range v.Chart.Averages {
		if slices.Contains(v.Hidden, a.ID) {
			names = append(names, a.ID)
		}
	}
	return strings.Join(names, " ")
}

// averageHint says what an average is, and that there are too few candles for it.
func averageHint(a charts.PriceAverage) string {
	words := "Show or hide the " + a.Words + " candles"
	if !a.Any() {
		words += "; there are too few without a gap yet"
	}
	return words
}

// livePrice is the last price for the title of the tab; empty if it is not known, or out of date.
func (v MarketView) livePrice() string {
	price, _ := v.Last()
	if grave, _ := v.StateWords(); len(grave) > 0 || !price.Known() {
		return ""
	}
	return affiliate.Grouped(string(price))
}

// marketFigure is a figure of the head of the page.
type marketFigure struct {
	Label string
	Cell  frame.Cell
}

func (v MarketView) figures() []marketFigure {
	if v.Contract() {
		t := v.Quote.Contract.Value
		return []marketFigure{
			{"Mark price", frame.NumberCell(t.MarkPrice)}, {"Index price", frame.NumberCell(t.IndexPrice)},
			{"Best bid", frame.NumberCell(t.BestBid)}, {"Best ask", frame.NumberCell(t.BestAsk)},
			{"24 h high", frame.NumberCell(t.High24h)}, {"24 h low", frame.NumberCell(t.Low24h)},
			{"24 h volume (" + frame.BaseCoin(v.Symbol) + ")", frame.AmountCell(t.BaseVolume)}, {"24 h volume (" + frame.QuoteCoin(v.Symbol) + ")", frame.AmountCell(t.Volume24h)},
		}
	}
	t := v.Ticker.Value
	trades := frame.Cell{}
	if v.Ticker.Known() && t.Symbol != "" && t.Trades >= 0 {
		trades = frame.Cell{Text: phrase.Count(t.Trades)}
	}
	return []marketFigure{
		{"24 h high", frame.NumberCell(t.High)}, {"24 h low", frame.NumberCell(t.Low)}, {"24 h ago", frame.NumberCell(t.Open)},
		{"24 h volume (" + frame.BaseCoin(v.Symbol) + ")", frame.AmountCell(t.Size)}, {"24 h volume (" + frame.QuoteCoin(v.Symbol) + ")", frame.AmountCell(t.Value)},
		{"24 h trades", trades},
	}
}

// notices say what is unusual about the pair, or about what is known of it. A grave one comes
// first.
func (v MarketView) notices() (grave, light []string) {
	grave, light = v.StateWords()
	if !v.Contract() && v.Pair.Known() {
		switch p := v.Pair.Value; {
		case !v.Listed:
			grave = append(grave, "The exchange does not list this pair (any more). What is kept of it stays readable.")
		case p.EnableTrade == affiliate.FlagOf(false):
			grave = append(grave, "Trading of this pair is suspended by the exchange.")
		case p.DisplayNew == affiliate.FlagOf(true):
			light = append(light, "This pair is newly listed.")
		}
	}
	return grave, light
}

// emptyChart says why there is no chart.
func (v MarketView) emptyChart() string {
	switch {
	case len(v.Chart.Slots) == 0:
		return "This server keeps no prices, so there is no chart."
	case v.Delisted():
		return "No trade of this pair is kept in this time."
	}
	return "No trade of this time is kept yet. The chart begins with what is seen from now on."
}

// rules are the rules of the pair in words.
func (v MarketView) rules() (words []string) {
	p := v.Pair.Value
	if !v.Listed || v.Contract() {
		return nil
	}
	say := func(known bool, format string, args ...any) {
		if known {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	say(p.TickSize.Known(), "Prices are multiples of %s %s.", p.TickSize, p.QuoteCoin)
	say(p.StepSize.Known(), "Quantities are multiples of %s %s.", p.StepSize, p.BaseCoin)
	say(p.MinTradeAmount.Known(), "An order has at least %s %s.", affiliate.Grouped(string(p.MinTradeAmount)), p.BaseCoin)
	say(p.MaxTradeAmount.Known(), "An order has at most %s %s.", affiliate.Grouped(string(p.MaxTradeAmount)), p.BaseCoin)
	say(p.MarketBuyLimitSize.Known(), "A market order buys at most %s %s.", affiliate.Grouped(string(p.MarketBuyLimitSize)), p.BaseCoin)
	say(p.MarketSellLimitSize.Known(), "A market order sells at most %s %s.", affiliate.Grouped(string(p.MarketSellLimitSize)), p.BaseCoin)
	say(p.BuyLimitPriceRatio.Known(), "A limit price to buy is at most %s above the last price.", frame.FractionCell(p.BuyLimitPriceRatio).Text)
	say(p.SellLimitPriceRatio.Known(), "A limit price to sell is at most %s below the last price.", frame.FractionCell(p.SellLimitPriceRatio).Text)
	say(p.MarketFallbackPriceRatio.Known(), "A market order goes at most %s away from its first price.", frame.FractionCell(p.MarketFallbackPriceRatio).Text)
	say(p.TakerFeeRate.Known() && p.MakerFeeRate.Known(), "Fee: %s as taker, %s as maker.", frame.FractionCell(p.TakerFeeRate).Text, frame.FractionCell(p.MakerFeeRate).Text)
	return words
}

// list returns the trades that the page lists.
func (v MarketView) list() []weex.Trade { return v.Trades.Value[:min(len(v.Trades.Value), v.Rows)] }

// tradedSlots are the indices of the slots that have a candle, newest first.
func (v MarketView) tradedSlots() (list []int) {
	for i, s := range slices.Backward(v.Chart.Slots) {
		if s.Traded() {
			list = append(list, i)
		}
	}
	return list
}

// intervalAddress returns the page with candles of another length.
func (v MarketView) intervalAddress(name string) string {
	values := url.Values{"interval": {name}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	if v.Hides {
		values.Set("hide", strings.Join(v.Hidden, "."))
	}
	return frame.PairAddress(v.Symbol) + "?" + values.Encode()
}

// averageAddress returns the page with an average shown if it is hidden, and hidden if it is shown.
func (v MarketView) averageAddress(id string) string {
	var hidden []string
	for _, a := range v.Chart.Averages {
		if slices.Contains(v.Hidden, a.ID) != (a.ID == id) {
			hidden = append(hidden, a.ID)
		}
	}
	v.Hidden, v.Hides = hidden, true
	return v.intervalAddress(v.Chart.Interval.Name)
}

// watchAddress returns the page of another pair with candles of the same length.
func (v MarketView) watchAddress(symbol string) string {
	v.Symbol = symbol
	return v.intervalAddress(v.Chart.Interval.Name)
}

// tableAddress returns the page with its candles as a table.
func (v MarketView) tableAddress() string {
	return v.intervalAddress(v.Chart.Interval.Name) + "&table=yes"
}

// ChartID is the id of the chart of prices.
const ChartID = "candles-chart"

func (v MarketView) canvas() ui.Chart {
	return ui.Chart{ID: ChartID, Label: charts.DescribeCandles(v.Chart), Still: charts.StillCandles(v.Chart), Data: charts.DrawCandles(v.Chart)}
}

// gaps returns how many slots of the chart may lack trades, and since when trades are kept
// without a gap up to now.
func (v MarketView) gaps() (n int, since affiliate.Millis) {
	for _, s := range slices.Backward(v.Chart.Slots) {
		if s.Gap() {
			n++
		} else if n == 0 {
			since = s.Start
		}
	}
	return n, since
}

// gapWords say what the grey places mean. They fit the room that the page keeps for them.
func (v MarketView) gapWords() string {
	missing := "trades"
	if v.Contract() {
		missing = "prices"
	}
	n, since := v.gaps()
	switch {
	case len(v.Chart.Slots) == 0:
		return "Nothing is kept here."
	case n == 0:
		return "Complete: no " + strings.TrimSuffix(missing, "s") + " of this time is missing."
	case since.Known():
		return "Complete since " + phrase.Second(since.Time(), v.Zone) + ". Grey: " + missing + " may be missing."
	}
	return "Grey: " + missing + " may be missing."
}

// gapReason says why trades or prices may be missing.
func (v MarketView) gapReason() string {
	if v.Contract() {
		return "Nobody looked at this contract then."
	}
	return "Nobody looked at this pair then, or the exchange listed no older trades."
}

// OwnOrders and OwnFills are of the account.
func (v MarketView) openWords() string {
	switch {
	case !v.Orders.Known() && v.Orders.Err != nil:
		return "Not known now: " + v.Orders.Err.Error() + "."
	case !v.Orders.Known():
		return "Being read…"
	case len(v.Orders.Value) == 0:
		return "No open orders, as of " + phrase.Second(v.Orders.At, v.Zone) + "."
	}
	words := phrase.Things(len(v.Orders.Value), "open order") + ", as of " + phrase.Second(v.Orders.At, v.Zone)
	if v.Orders.Err != nil {
		words += "; the newest attempt failed"
	}
	if far := v.Chart.Outside(); len(far) > 0 {
		words += ". " + phrase.Count(len(far)) + " too far from the candles to be drawn"
	}
	return words + "."
}

func (v MarketView) fillWords() string {
	switch {
	case !v.Fills.Known() && v.Fills.Err != nil:
		return "Not known now: " + v.Fills.Err.Error() + "."
	case !v.Fills.Known():
		return "Being read…"
	case len(v.Fills.Value) == 0:
		return "No fills, as of " + phrase.Second(v.Fills.At, v.Zone) + "."
	}
	return "The newest " + phrase.Things(min(len(v.Fills.Value), ownRows), "fill") + ", as of " + phrase.Second(v.Fills.At, v.Zone) + "."
}

// ownRows is how many of our own fills a page lists.
const ownRows = 8
