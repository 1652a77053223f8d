package ticket

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
)

// CancellationPath is the address of a cancellation over several pairs.
const CancellationPath = templates.CancellationPath

// intentsParam lists the intents of a cancellation over several pairs, with dots in between.
const intentsParam = "intents"

// everyPair reads which orders of which pairs a form cancels: the marked ones, or all of the
// pairs that its button names.
func everyPair(fields url.Values) (drafts []trading.Draft) {
	account := affiliate.Account(strings.TrimSpace(fields.Get(console.AccountParam)))
	add := func(pair string, kind trading.IntentKind, orders []trading.Order) {
		drafts = append(drafts, trading.Draft{ID: trading.PartID(strings.TrimSpace(fields.Get("form")), pair), Account: account, Kind: kind, Pair: pair,
			Source: trading.FromPage, Orders: orders})
	}
	if every := fields.Get("cancel-every"); every != "marked" {
		pairs := strings.Fields(every)
		slices.Sort(pairs)
		for _, pair := range slices.Compact(pairs) {
			add(pair, trading.CancelAll, nil)
		}
		return drafts
	}
	marked := map[string][]trading.Order{}
	for name := range fields {
		if id, is := strings.CutPrefix(name, "order-"); is {
			marked[fields.Get(name)] = append(marked[fields.Get(name)], trading.Order{OrderID: id})
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(marked)) {
		orders := marked[pair]
		slices.SortFunc(orders, func(a, b trading.Order) int { return strings.Compare(a.OrderID, b.OrderID) })
		kind := trading.CancelSome
		if len(orders) == 1 {
			kind = trading.Cancel
		}
		add(pair, kind, orders)
	}
	return drafts
}

// review records the intents of a form, one for each pair, and shows them for confirmation. A
// pair that a rule stops is left out, and said.
func (s *Area) review(c *fiber.Ctx, fields url.Values) error {
	refuse := func(words string) error {
		c.Status(fiber.StatusBadRequest)
		return s.showTicket(c, console.CancelTicket, "Nothing was sent. "+words, nil)
	}
	drafts := everyPair(fields)
	switch {
	case len(drafts) == 0:
		return refuse("Mark the orders that are to be cancelled.")
	case len(drafts) > console.MostPairs:
		return refuse("At most " + phrase.Count(console.MostPairs) + " pairs are cancelled at once: mark fewer.")
	}
	ctx := exchange.WithPriority(c.UserContext(), exchange.Interactive)
	var list []trading.Intent
	var left []string
	for _, draft := range drafts {
		in, err := s.Trading.Prepare(ctx, s.trader(c), draft)
		if refusal, ok := errors.AsType[*trading.RefusedDraft](err); ok {
			left = append(left, affiliate.PairName(draft.Pair)+": "+refusal.Flight.Stops()[0].Words)
			continue
		}
		if err != nil {
			return err
		}
		list = append(list, in)
	}
	if len(list) == 0 {
		return refuse(strings.Join(left, " "))
	}
	s.Bell.Ring()
	return s.show(c, list, templates.CancellationView{LeftOut: left})
}

// asked returns the intents that a request names. Each is a cancellation of a spot pair.
func (s *Area) asked(c *fiber.Ctx, text string) (list []trading.Intent, err error) {
	if s.Trading == nil {
		return nil, fiber.ErrNotFound
	}
	ids := strings.Split(text, ".")
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(strings.Split(text, ".")) || len(ids) > console.MostPairs || text == "" {
		return nil, &query.ParamError{Param: intentsParam, Value: text, Problem: "is no list of intents, each once"}
	}
	for _, id := range strings.Split(text, ".") {
		in, err := s.Trading.Intent(c.UserContext(), id)
		if err != nil {
			return nil, missingIntent(err)
		}
		if in.Orders[0].Side != "" || len(list) > 0 && in.Account != list[0].Account {
			return nil, &query.ParamError{Param: intentsParam, Value: text, Problem: "names an intent that cancels nothing, or one of another account"}
		}
		list = append(list, in)
	}
	return list, nil
}

// Cancellation shows the review of a cancellation over several pairs, or its outcome.
func (s *Area) Cancellation(c *fiber.Ctx) error {
	given, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	list, err := s.asked(c, given.Get(intentsParam))
	if err != nil {
		return err
	}
	return s.show(c, list, templates.CancellationView{})
}

// show shows the intents of a cancellation; v holds the additional content of the page.
func (s *Area) show(c *fiber.Ctx, list []trading.Intent, v templates.CancellationView) (err error) {
	if v.TradingView, err = s.tradingView(c, "Cancellation", "Orders of several pairs, one pair after the other", frame.OrdersPath, intentsParam); err != nil {
		return err
	}
	v.Account = list[0].Account
	ctx := exchange.WithPriority(c.UserContext(), exchange.Interactive)
	for _, in := range list {
		part := templates.CancelPart{Intent: in, Own: v.MayTrade && in.Actor == s.Reader(c) && in.Source == string(trading.FromPage)}
		if part.Drafted() {
			flight := s.Trading.Check(ctx, reviewed(in))
			part.Flight = &flight
			part.Cancelled = s.cancelledOrders(ctx, in)
		}
		v.Parts = append(v.Parts, part)
	}
	return s.Render(c, templates.Cancellation(v))
}

// Send sends the intents of a cancellation that were not sent yet, one after the other, each at
// most once. After an outcome that is unknown the rest is left: the reader decides.
func (s *Area) Send(c *fiber.Ctx) error {
	text := s.Form(c).Get(intentsParam)
	list, err := s.asked(c, text)
	if err != nil {
		return err
	}
	by := s.trader(c)
	drafted := false
	for _, in := range list {
		if in.Actor != by.Name || in.Source != string(trading.FromPage) {
			return handler.NewProblem(fiber.StatusForbidden, in.Actor+" wrote this cancellation, and nobody else sends it. Nothing was sent.")
		}
		drafted = drafted || in.Orders[0].State == trading.IntentDrafted
	}
	if drafted {
		alert, err := s.proven(c)
		if err != nil {
			return err
		}
		if alert != "" {
			return s.show(c, list, templates.CancellationView{Alert: "Nothing was sent. " + alert})
		}
	}
	ctx := exchange.WithPriority(c.UserContext(), exchange.Interactive)
	for _, in := range list {
		// One that another press is sending is waited for.
		if in.Orders[0].State != trading.IntentDrafted && in.Orders[0].State != trading.IntentSending {
			continue
		}
		if in, err = s.Trading.Send(ctx, by, in.ID); err != nil {
			return err
		}
		s.Spread(in.Account, in.Pair)
		if slices.ContainsFunc(in.Orders, func(o trading.Order) bool { return o.State == trading.IntentUnknown }) {
			break
		}
	}
	return c.Redirect(CancellationPath+"?"+url.Values{intentsParam: {text}}.Encode(), fiber.StatusSeeOther)
}

// cancelButtons turns what the buttons of a list of several pairs send into the fields of a
// cancellation of one pair.
func cancelButtons(fields url.Values) {
	switch {
	case fields.Get("cancel-one") != "":
		pair, order, _ := strings.Cut(fields.Get("cancel-one"), " ")
		forgetMarks(fields, "")
		fields.Set("symbol", pair)
		fields.Set("order-"+order, "yes")
	case fields.Get("cancel-marked") != "":
		pair := fields.Get("cancel-marked")
		forgetMarks(fields, pair)
		fields.Set("symbol", pair)
	case fields.Get("cancel-all") != "":
		forgetMarks(fields, "")
		fields.Set("symbol", fields.Get("cancel-all"))
		fields.Set("all", "yes")
	}
}

// forgetMarks removes the marks of orders of other pairs than one.
func forgetMarks(fields url.Values, pair string) {
	for name := range fields {
		if strings.HasPrefix(name, "order-") && (pair == "" || fields.Get(name) != pair) {
			fields.Del(name)
		}
	}
}
