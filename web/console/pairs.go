package console

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/templates/console/frame"
)

// delisted reports whether the exchange is known not to list a spot pair. Unless the list was
// read, no pair is.
func delisted(feed *market.Feed, account affiliate.Account, symbol string) bool {
	pairs := feed.Pairs(account)
	return len(pairs.Value) > 0 && !slices.ContainsFunc(pairs.Value, func(p weex.TradingPair) bool { return p.Symbol == symbol })
}

// NoteAsked keeps that a user asked for a pair, unless the exchange does not list it: a slip of
// the keys would be asked for a whole day.
func NoteAsked(feed *market.Feed, account affiliate.Account, symbol string) {
	if !delisted(feed, account, symbol) {
		feed.NoteAsked(account, symbol)
	}
}

// askedFor returns the pairs that a user asked for in the last day and that the exchange lists,
// as far as that is known.
func askedFor(ctx context.Context, feed *market.Feed, account affiliate.Account) ([]string, error) {
	asked, err := feed.Asked(ctx, account)
	return slices.DeleteFunc(asked, func(symbol string) bool { return delisted(feed, account, symbol) }), err
}

// TicketParam chooses the ticket on the page of a pair.
const TicketParam = "ticket"

// The kinds of tickets. The cancellation ticket makes several kinds of intents.
const (
	PlaceTicket   = "place"
	BatchTicket   = "batch"
	TriggerTicket = "trigger"
	CancelTicket  = "cancel"
)

// SymbolWritten returns the symbol of the pair that a user wrote in a ticket.
func SymbolWritten(kind, text string) string {
	if kind == TriggerTicket {
		return affiliate.ContractSymbolOf(text)
	}
	return affiliate.SpotSymbolOf(text)
}

// IsPair reports whether a text has the form of a pair of one of the markets.
func IsPair(symbol string) bool {
	return len(symbol) <= 40 && (affiliate.IsContractSymbol(symbol) || affiliate.IsSpotSymbol(symbol))
}

// PairOfStream returns the pair that a request for a stream names.
func PairOfStream(c *fiber.Ctx) (string, error) {
	symbol := SymbolWritten(c.Query("kind"), c.Query("symbol"))
	if !IsPair(symbol) {
		return "", &query.ParamError{Param: "symbol", Value: symbol, Problem: "is no pair"}
	}
	return symbol, nil
}

// NumberIn returns a number that a user typed, unknown if it is none or negative.
func NumberIn(text string) affiliate.Number {
	n, err := affiliate.ParseNumber(text)
	if err != nil || strings.HasPrefix(text, "-") {
		return ""
	}
	return n
}

const (
	// firstRead is how long a page waits for the exchange if nothing recent is known, and
	// recentRead how old what it shows may be without a new question.
	firstRead  = 4 * time.Second
	RecentRead = 10 * time.Second
	// intentsFor is how long an intent of a pair is shown to others, and intentsOfPair how many.
	intentsFor    = time.Hour
	intentsOfPair = 12
)

// Await waits for what a page watches, if nothing as recent is known, but no longer than firstRead.
func Await(ctx context.Context, watch *market.Reader, recent time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, firstRead)
	defer cancel()
	watch.Ready(ctx, recent)
}

// PairView returns what is known of a pair, with the state of sending and its recent intents, but
// without the frame of the page.
func (s *Base) PairView(ctx context.Context, account affiliate.Account, symbol string) (v frame.PairView, err error) {
	v.Quote, v.Now = s.Market.Quote(account, symbol), time.Now()
	v.Account, v.Accounts, v.Zone = account, s.Console.Names(), s.Zone
	if s.Trading == nil {
		return v, nil
	}
	status, err := s.Trading.Status(ctx)
	if err != nil {
		return v, err
	}
	v.Status = &status
	list, err := s.Trading.Intents(ctx, trading.IntentQuery{Account: account, Pair: symbol, Limit: intentsOfPair})
	if err != nil {
		return v, err
	}
	since := affiliate.MillisOf(s.Trading.Now().Add(-intentsFor))
	v.Intents = slices.DeleteFunc(list, func(in trading.Intent) bool { return in.Made < since })
	return v, nil
}

// WatchPair opens the reader of a page about one pair. For a reader who sends orders it also reads
// the other pairs whose open orders hold the same coins.
func (s *Base) WatchPair(ctx context.Context, t *Teller, symbol string) *market.Reader {
	if t.Trades {
		return s.Market.WatchTicket(t.Account, symbol, s.Sharing(ctx, t.Account, t.User, symbol).Pairs)
	}
	return s.Market.WatchMarket(t.Account, symbol)
}

// MostPairs is how many pairs are followed for one page of open orders, and cancelled at once.
const MostPairs = 30

// ordered is how many of the newest intents name the pairs that are followed.
const ordered = 200

// Followed returns the spot pairs that a reader follows: favourites, those that a user asked
// for in the last day, and those of orders of the last day.
func (s *Base) Followed(ctx context.Context, a Asking) ([]string, error) {
	list, err := a.Console.Favourites(ctx, a.User)
	if err != nil {
		return nil, err
	}
	asked, err := askedFor(ctx, s.Market, a.Account)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, asked)
	if s.Trading != nil {
		intents, err := s.Trading.Intents(ctx, trading.IntentQuery{Account: a.Account, Limit: ordered})
		if err != nil {
			return nil, err
		}
		day := affiliate.MillisOf(time.Now().Add(-market.AskedFor))
		for _, in := range intents {
			if in.Kind != string(trading.Trigger) && (in.Made > day || slices.ContainsFunc(in.Orders, isOpen)) {
				list = append(list, in.Pair)
			}
		}
	}
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(pair string) bool {
		again := known[pair]
		known[pair] = true
		return again
	}), nil
}

// isOpen reports whether an order may still be open at the exchange.
func isOpen(o trading.Order) bool {
	return o.Side != "" && (o.State == trading.IntentPlaced || o.State == trading.IntentUnknown || o.State == trading.IntentSending)
}

// Sharers are the other followed pairs that share a coin with the pair of a ticket.
type Sharers struct {
	Pairs   []string
	Problem string // why not all of them are known; empty: they are
}

// Sharing returns the followed pairs that share a coin with a spot pair.
func (s *Base) Sharing(ctx context.Context, account affiliate.Account, user, symbol string) (others Sharers) {
	if affiliate.IsContract(symbol) {
		return others
	}
	list, err := s.Followed(ctx, Asking{Console: s.Console, Account: account, User: user})
	if err != nil {
		s.Log.Error("the followed pairs could not be read", "error", err)
		return Sharers{Problem: "the pairs that are followed could not be read"}
	}
	base, quote := s.CoinsOf(account, symbol)
	for _, other := range list {
		b, q := s.CoinsOf(account, other)
		if other != symbol && !affiliate.IsContract(other) && (b == base || b == quote || q == base || q == quote) {
			others.Pairs = append(others.Pairs, other)
		}
	}
	if most := s.Market.MostOthers(account); len(others.Pairs) > most {
		others.Problem = phrase.Count(len(others.Pairs)) + " other followed pairs share its coins, and the request budget allows to follow the open orders of " + phrase.Count(most)
		others.Pairs = others.Pairs[:most]
	}
	return others
}

// CoinsOf returns the coins of a spot pair: by the exchange's list, or by its name if it is not
// in that.
func (s *Base) CoinsOf(account affiliate.Account, symbol string) (base, quote string) {
	list := s.Market.Pairs(account).Value
	if at := slices.IndexFunc(list, func(p weex.TradingPair) bool { return p.Symbol == symbol }); at >= 0 {
		return list[at].BaseCoin, list[at].QuoteCoin
	}
	base, quote, _ = strings.Cut(affiliate.PairName(symbol), "/")
	return base, quote
}
