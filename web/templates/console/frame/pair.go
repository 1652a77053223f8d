package frame

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// PairView is what is known of a pair, on the pages that show its price.
type PairView struct {
	View
	market.Quote
	Now     time.Time        // when it was drawn
	Stream  string           // address of the stream that keeps it up to date; empty: none
	Status  *trading.Status  // of sending; nil: there is no desk
	Intents []trading.Intent // of the last hour on this pair, newest first
	Reader  string           // the user's name
}

// StaleAfter is the age from which a figure that changes all the time is called old.
const StaleAfter = 20 * time.Second

// missedAfter is the age from which a page says that the newest attempt to read failed.
const missedAfter = 5 * time.Second

// Contract reports whether the pair is one of the contract market.
func (v PairView) Contract() bool { return affiliate.IsContract(v.Symbol) }

// LastSide returns the side that took the newest trade.
func (v PairView) LastSide() string {
	if len(v.Trades.Value) > 0 {
		return market.TakerSide(v.Trades.Value[0])
	}
	return ""
}

// Change returns the change of 24 hours.
func (v PairView) Change() affiliate.Number {
	if v.Contract() {
		return v.Quote.Contract.Value.PriceChangePercent
	}
	return v.Ticker.Value.PriceChangePercent
}

// Delisted reports whether the exchange is known not to list the pair.
func (v PairView) Delisted() bool { return !v.Contract() && v.Pair.Known() && !v.Listed }

// StateWords say what is unusual about what is known of a pair.
func (v PairView) StateWords() (grave, light []string) {
	at := func(t time.Time) string { return phrase.Second(t, v.Zone) }
	var err error
	var known time.Time
	if v.Contract() {
		err, known = v.Quote.Contract.Err, v.Quote.Contract.At
	} else {
		err, known = v.Trades.Err, v.Trades.At
		if err == nil && v.Ticker.Err != nil {
			err, known = v.Ticker.Err, v.Ticker.At
		}
	}
	switch {
	case err != nil && v.Delisted(): // the exchange has nothing to say of it
	case err != nil && known.IsZero():
		grave = append(grave, "Nothing is known of this now: "+err.Error()+".")
	case err != nil && v.Now.Sub(known) > missedAfter: // one attempt that failed is not worth a word
		grave = append(grave, "The exchange gives no answer now. This is the last known state, of "+at(known)+". The reason: "+err.Error()+".")
	case !known.IsZero() && v.Now.Sub(known) > StaleAfter:
		grave = append(grave, "This is the state of "+at(known)+": nothing newer was read.")
	}
	if v.KeepErr != nil {
		light = append(light, "What is seen now cannot be kept, so the chart will have a gap.")
	}
	return grave, light
}

// ticketNotices say what keeps the pair from being traded now.
func (v PairView) ticketNotices() (words []string) {
	if v.Status != nil && v.Status.Stopped() {
		why := "by the kill file."
		if v.Status.KillFile == "" {
			why = "by " + v.Status.Switch.By + " at " + MillisWords(v.Status.Switch.Since, v.Zone) + ". " + phrase.Sentence(v.Status.Switch.Why)
		}
		words = append(words, "Trading stopped "+why+" Nothing is sent from this ticket until it is allowed again.")
	}
	if v.Contract() {
		if v.Quote.Contract.Err != nil && exchange.ClassOf(v.Quote.Contract.Err) == exchange.ClassValidation {
			words = append(words, "The exchange no longer lists this contract: no order of it can be sent.")
		}
		return words
	}
	if v.Pair.Known() {
		switch {
		case !v.Listed:
			words = append(words, "The exchange does not list this pair: no order of it can be sent.")
		case v.Pair.Value.EnableTrade == affiliate.FlagOf(false):
			words = append(words, "The exchange has suspended this pair: an order of it is refused.")
		case v.Pair.Value.DisplayNew == affiliate.FlagOf(true):
			words = append(words, "This pair is newly listed: its rules and prices may change quickly.")
		}
	}
	return words
}

// intentsOfOthers returns the intents of a pair that other users wrote.
func intentsOfOthers(list []trading.Intent, reader string) []trading.Intent {
	return slices.DeleteFunc(slices.Clone(list), func(in trading.Intent) bool { return in.Actor == reader })
}

// SideClass colours a side of the market.
func SideClass(side string) string {
	switch side {
	case "buy":
		return "rise"
	case "sell":
		return "fall"
	}
	return ""
}

// ChangeClass colours a change by its direction.
func ChangeClass(n affiliate.Number) string {
	switch {
	case !n.Known() || n.IsZero():
		return "text-muted"
	case strings.HasPrefix(string(n), "-"):
		return "fall"
	}
	return "rise"
}

// ChangeWords is a change with its sign and an arrow.
func ChangeWords(n affiliate.Number) string {
	switch {
	case !n.Known():
		return phrase.Dash
	case n.IsZero():
		return "0" + phrase.Space + "%"
	}
	percent := n.Decimal().Shift(2).Round(2)
	if percent.IsNegative() {
		return "▼" + phrase.Space + percent.Abs().StringFixed(2) + phrase.Space + "%"
	}
	return "▲" + phrase.Space + percent.StringFixed(2) + phrase.Space + "%"
}

// ClockSecond is the time of day of an instant.
func ClockSecond(m affiliate.Millis, zone *time.Location) string {
	return m.Time().In(zone).Format("15:04:05")
}

// BaseCoin returns the coin that a pair trades.
func BaseCoin(symbol string) string {
	base, _, _ := strings.Cut(affiliate.PairName(symbol), "/")
	return base
}

// QuoteCoin returns the coin of the price of a pair.
func QuoteCoin(symbol string) string {
	_, quote, _ := strings.Cut(affiliate.PairName(symbol), "/")
	return quote
}

// MostListed is how many open orders of a pair are read at once.
const MostListed = 100

// OrderLine is an open order with what follows from it.
type OrderLine struct {
	weex.OpenOrder
	Rest  affiliate.Number // quantity that is not filled
	Worth affiliate.Number // of the rest, at the price of the order
	Away  affiliate.Number // from the last price, in percent of it
}

// NewOrderLine computes what follows from an open order and the last price.
func NewOrderLine(o weex.OpenOrder, last affiliate.Number) OrderLine {
	line := OrderLine{OpenOrder: o, Away: trading.PercentAway(o.Price, last)}
	if o.Quantity.Known() && o.FillQuantity.Known() {
		line.Rest = affiliate.Number(o.Quantity.Decimal().Sub(o.FillQuantity.Decimal()).String())
	}
	line.Worth = trading.ValueOf(o.Price, line.Rest)
	return line
}

// AwayWords say how far an order is from the last price.
func (o OrderLine) AwayWords() string {
	switch {
	case !o.Away.Known():
		return phrase.Dash
	case o.Away.IsZero():
		return "at the market"
	case o.Away[0] == '-':
		return string(o.Away[1:]) + phrase.Space + "% below"
	}
	return string(o.Away) + phrase.Space + "% above"
}

// AgeWords say how old an order is.
func (o OrderLine) AgeWords(now time.Time) string {
	if !o.Created.Known() {
		return "age not known"
	}
	switch age := now.Sub(o.Created.Time()); {
	case age < time.Minute:
		return "just now"
	case age < 2*time.Hour:
		return fmt.Sprintf("%d min", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h", int(age.Hours()))
	default:
		return fmt.Sprintf("%d d", int(age.Hours()/24))
	}
}
