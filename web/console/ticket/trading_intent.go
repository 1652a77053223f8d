package ticket

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
)

// intentsShown is the number of intents on a page of their list.
const intentsShown = 50

// IntentList lists the recorded intents, newest first.
func (s *Area) IntentList(c *fiber.Ctx) error {
	v, err := s.tradingView(c, "Order log", "Every order that was entered here, and what became of it", frame.IntentsPath, "state", "before")
	if err != nil {
		return err
	}
	list := templates.IntentsView{TradingView: v, State: trading.IntentState(v.Values.Get("state"))}
	if list.State != "" && !slices.Contains(frame.IntentStates, list.State) {
		var names []string
		for _, state := range frame.IntentStates {
			names = append(names, string(state))
		}
		return &query.ParamError{Param: "state", Value: string(list.State), Problem: "is none of " + strings.Join(names, ", ")}
	}
	if s.Trading == nil {
		return s.Render(c, templates.Intents(list))
	}
	q := trading.IntentQuery{State: list.State, Limit: intentsShown}
	if before := v.Values.Get("before"); before != "" {
		at, err := strconv.ParseInt(before, 10, 64)
		if err != nil || at <= 0 {
			return handler.NewProblem(fiber.StatusBadRequest, "before is an instant in milliseconds.")
		}
		q.Before = affiliate.Millis(at)
	}
	if list.Rows, err = s.Trading.Intents(c.UserContext(), q); err != nil {
		return err
	}
	if n := len(list.Rows); n == intentsShown {
		list.Older = frame.IntentsPath + "?" + url.Values{"state": {string(list.State)}, "before": {strconv.FormatInt(int64(list.Rows[n-1].Made), 10)}}.Encode()
	}
	return s.Render(c, templates.Intents(list))
}

// Intent shows the review of an intent that was not sent yet, and the outcome of any
// other.
func (s *Area) Intent(c *fiber.Ctx) error {
	in, err := s.intentOf(c)
	if err != nil {
		return err
	}
	return s.showIntent(c, in, templates.IntentView{})
}

func (s *Area) intentOf(c *fiber.Ctx) (trading.Intent, error) {
	if s.Trading == nil {
		return trading.Intent{}, fiber.ErrNotFound
	}
	in, err := s.Trading.Intent(c.UserContext(), c.Params("id"))
	return in, missingIntent(err)
}

// showIntent shows an intent; v holds the additional content of the page.
func (s *Area) showIntent(c *fiber.Ctx, in trading.Intent, v templates.IntentView) (err error) {
	drafted, title, tab := in.Orders[0].State == trading.IntentDrafted, "Order", frame.IntentsPath
	if drafted {
		title, tab = "Review", frame.TicketPath
	}
	if v.TradingView, err = s.tradingView(c, title, "What is sent, and what became of it", tab); err != nil {
		return err
	}
	v.Account, v.Intent = in.Account, in
	if v.Trading != nil {
		v.Trading.Back = frame.IntentsPath + "/" + in.ID
	}
	v.Own = v.MayTrade && in.Actor == s.Reader(c) && in.Source == string(trading.FromPage)
	if drafted {
		flight := s.Trading.Check(exchange.WithPriority(c.UserContext(), exchange.Interactive), reviewed(in))
		v.Flight = &flight
	}
	v.Cancelled = s.cancelledOrders(c.UserContext(), in)
	if inPlace(c) {
		return s.Render(c, templates.TicketIntent(v))
	}
	return s.Render(c, templates.IntentPage(v))
}

// reviewed returns the draft of an intent. The open orders of a pair were read when the
// intent was recorded: exactly these are cancelled.
func reviewed(in trading.Intent) trading.Draft {
	return trading.Draft{ID: in.ID, Account: in.Account, Kind: trading.IntentKind(in.Kind), Pair: in.Pair, Source: trading.Channel(in.Source), Again: in.Again, Orders: in.Orders}
}

// SendIntent sends a reviewed intent once: a second press returns the result of the
// first. Only the author of the intent may send it.
func (s *Area) SendIntent(c *fiber.Ctx) error {
	in, err := s.intentOf(c)
	if err != nil {
		return err
	}
	by := s.trader(c)
	if in.Orders[0].State != trading.IntentDrafted {
		return toIntent(c, s, in)
	}
	if in.Actor != by.Name || in.Source != string(trading.FromPage) {
		return handler.NewProblem(fiber.StatusForbidden, fmt.Sprintf("%s wrote this order, and nobody else sends it. Nothing was sent.", in.Actor))
	}
	alert, err := s.proven(c)
	if err != nil {
		return err
	}
	if alert != "" {
		return s.showIntent(c, in, templates.IntentView{Alert: "Nothing was sent. " + alert})
	}
	if in, err = s.Trading.Send(exchange.WithPriority(c.UserContext(), exchange.Interactive), by, in.ID); err != nil {
		return err
	}
	s.Spread(in.Account, in.Pair)
	return toIntent(c, s, in)
}

// toIntent leads to the page of an intent. The ticket beside a chart shows it in its own place.
func toIntent(c *fiber.Ctx, s *Area, in trading.Intent) error {
	if inPlace(c) {
		return s.showIntent(c, in, templates.IntentView{})
	}
	return c.Redirect(frame.IntentsPath+"/"+in.ID, fiber.StatusSeeOther)
}

// ResolveIntent looks up the outcome of unknown orders and shows it immediately.
func (s *Area) ResolveIntent(c *fiber.Ctx) error {
	in, err := s.intentOf(c)
	if err != nil {
		return err
	}
	found, err := s.Trading.Resolve(exchange.WithPriority(c.UserContext(), exchange.Interactive), s.trader(c), in.ID)
	if err != nil {
		s.Log.Warn("what became of an order cannot be seen", "intent", in.ID, "error", err)
		c.Status(fiber.StatusBadGateway)
		return s.showIntent(c, in, templates.IntentView{Alert: "Nothing could be seen: " + err.Error() + ". The order is as unknown as before; nothing was sent."})
	}
	return s.showIntent(c, found.Intent, templates.IntentView{Findings: &found})
}

// DecideIntent accepts a person's statement of the outcome of an unknown order.
func (s *Area) DecideIntent(c *fiber.Ctx) error {
	fields := s.Form(c)
	done := fields.Get("done")
	if done != "yes" && done != "no" {
		return handler.NewProblem(fiber.StatusBadRequest, "Say whether the order was done: yes or no. Nothing was changed.")
	}
	return s.settle(c, func(id string, n int, why string) (trading.Intent, error) {
		return s.Trading.Decide(c.UserContext(), s.trader(c), id, n, done == "yes", why)
	})
}

// OverrideIntent allows trading on its side of the pair although the outcome of an
// order is unknown.
func (s *Area) OverrideIntent(c *fiber.Ctx) error {
	return s.settle(c, func(id string, n int, why string) (trading.Intent, error) {
		return s.Trading.Override(c.UserContext(), s.trader(c), id, n, why)
	})
}

func (s *Area) settle(c *fiber.Ctx, do func(id string, n int, why string) (trading.Intent, error)) error {
	in, err := s.intentOf(c)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(s.Form(c).Get("n"))
	if err != nil || n < 0 || n >= len(in.Orders) {
		return handler.NewProblem(fiber.StatusBadRequest, "The intent has no such order. Nothing was changed.")
	}
	if alert, err := s.proven(c); err != nil {
		return err
	} else if alert != "" {
		return s.showIntent(c, in, templates.IntentView{Alert: "Nothing was changed. " + alert})
	}
	if in, err = do(in.ID, n, s.Form(c).Get("why")); err != nil {
		return err
	}
	s.Spread(in.Account, in.Pair)
	return c.Redirect(frame.IntentsPath+"/"+in.ID, fiber.StatusSeeOther)
}

// missingIntent is the answer for an intent that does not exist.
func missingIntent(err error) error {
	if errors.Is(err, trading.ErrNoIntent) {
		return &store.RuleError{Problem: "There is no intent of this number.", Missing: true}
	}
	return err
}

// cancelledOrders returns how many orders a cancellation is about and what they are worth at
// their prices, by what is known of them; nil if the intent places orders.
func (s *Area) cancelledOrders(ctx context.Context, in trading.Intent) *templates.CancelledOrders {
	if in.Orders[0].Side != "" || !affiliate.IsSpotSymbol(in.Pair) {
		return nil
	}
	watch := s.Market.WatchOrders(in.Account, []string{in.Pair})
	defer watch.Close()
	console.Await(ctx, watch, console.RecentRead)
	q := s.Market.Quote(in.Account, in.Pair)
	v := &templates.CancelledOrders{Count: len(in.Orders), Coin: frame.QuoteCoin(in.Pair)}
	var sum affiliate.Sum
	last, _ := q.Last()
	for _, c := range in.Orders {
		at := slices.IndexFunc(q.Orders.Value, func(o weex.OpenOrder) bool {
			return c.OrderID != "" && o.OrderID == c.OrderID || c.OrderID == "" && string(o.ClientOrderID) == c.ClientID
		})
		if at < 0 {
			v.Unread++
			continue
		}
		line := frame.NewOrderLine(q.Orders.Value[at], last)
		v.Lines = append(v.Lines, line)
		if !line.Worth.Known() || !sum.Add(line.Worth) {
			v.Unread++
		}
	}
	v.Worth = affiliate.Number(sum.String())
	return v
}
