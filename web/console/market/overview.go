package market

import (
	"context"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	templates "rebatedesk/web/templates/console/market"
)

// cardsShown is how many favourites have a card, and lastOrders how many of the newest orders the
// overview lists.
const (
	cardsShown = 8
	lastOrders = 5
)

// Home is the overview of the console.
func (s *Area) Home(c *fiber.Ctx) error {
	sh := console.Sheet{Path: "/console", Title: "Console", About: "Favourite pairs, orders and money of the account, as the exchange says"}
	view, a, err := s.Frame(c, sh)
	if err != nil || a.Client == nil {
		return s.RenderPage(c, view, err)
	}
	if err := s.Noted(c); err != nil {
		return err
	}
	marked, err := s.Console.Favourites(c.UserContext(), a.User)
	if err != nil {
		return err
	}
	shown := marked[:min(len(marked), cardsShown)]
	watch := s.Market.WatchPairs(a.Account, shown)
	defer watch.Close()
	console.Await(c.UserContext(), watch, time.Minute)
	v, err := s.overviewView(c.UserContext(), a.Account, shown)
	if err != nil {
		return err
	}
	v.View, v.More = view, len(marked)-len(shown)
	v.Budget = console.BudgetOf(a.Client)
	v.Stream = console.StreamAddress("overview", a.Account, url.Values{})
	v.FillMarks = console.MarksOf(console.QuotesOf(v.Pairs, func(c templates.PairCard) market.Quote { return c.Quote })...).String()
	s.NotePage(c, sh, a, nil)
	return s.Render(c, templates.Overview(v))
}

// overviewView returns the contents of the overview, without the frame of the page.
func (s *Area) overviewView(ctx context.Context, account affiliate.Account, pairs []string) (v templates.DeskView, err error) {
	v.Now, v.Zone, v.Account, v.Accounts = time.Now(), s.Zone, account, s.Console.Names()
	v.Wallet, v.Tickers = s.Market.Wallet(account), s.Market.Tickers(account)
	if v.Desk = s.TradingMode() != trading.Off; v.Desk {
		if v.Log, err = s.Trading.Intents(ctx, trading.IntentQuery{Account: account, Limit: lastOrders}); err != nil {
			return v, err
		}
	}
	for _, symbol := range pairs {
		line, err := s.Market.Line(ctx, account, symbol, templates.LineStep, templates.LineSteps)
		if err != nil {
			return v, err
		}
		starts, prices := make([]affiliate.Millis, len(line)), make([]affiliate.Number, len(line))
		for i, p := range line {
			starts[i], prices[i] = p.Time, p.Price
		}
		v.Pairs = append(v.Pairs, templates.NewPairCard(s.Market.Quote(account, symbol), starts, prices, v.Now))
	}
	return v, nil
}

// liveOverview begins the stream of the overview.
func (s *Area) liveOverview(_ *fiber.Ctx, t *console.Teller) (console.Live, error) {
	var shown []string
	return console.Live{
		Watch: func(ctx context.Context) (*market.Reader, error) {
			marked, err := s.Console.Favourites(ctx, t.User)
			if err != nil {
				return nil, err
			}
			shown = marked[:min(len(marked), cardsShown)]
			return s.Market.WatchPairs(t.Account, shown), nil
		},
		News: func(ctx context.Context) error {
			v, err := s.overviewView(ctx, t.Account, shown)
			if err != nil {
				return err
			}
			if err := t.FillNews(console.QuotesOf(v.Pairs, func(c templates.PairCard) market.Quote { return c.Quote })...); err != nil {
				return err
			}
			return t.Parts(ctx, templates.OverviewPairs(v), templates.OverviewOrders(v), templates.OverviewFills(v), templates.OverviewBalances(v), templates.OverviewLog(v),
				templates.OverviewBills(v), templates.OverviewTransfers(v), t.Budget())
		},
	}, nil
}
