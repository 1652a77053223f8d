package console

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/trading"
	"rebatedesk/web/templates/console/frame"
)

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
