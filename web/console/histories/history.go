package histories

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/console/histories"
	"rebatedesk/web/templates/ui"
)

// history is a page about what happened in an account over a range of days. Its sheet names
// the columns of its files, and remains the page of single answers of the endpoint.
type history struct {
	console.Sheet
	stream affiliate.StreamKind // of which the store may keep records; empty: it keeps none
	wallet affiliate.Wallet     // of bills
	// ask reads the records of a part of the range from the exchange, and calls each with the time
	// of every record. With an error it returns those that arrived before.
	ask   func(ctx context.Context, a console.Asking, p part, each func(affiliate.Millis)) (recordList, error)
	row   func(a console.Asking, r recorded) frame.SheetRow // in the columns of the sheet
	kinds []string                                          // that the exchange documents; transfers have none
}

// checkKind refuses a kind that is neither documented nor among the records.
func (h history) checkKind(kind string, list recordList) error {
	known := slices.Concat(h.kinds, choicesOf(list, func(r recorded) string { return r.kind }))
	if kind == "" || slices.Contains(known, kind) || len(h.kinds) == 0 && strings.Contains(kind, transferArrow) {
		return nil
	}
	slices.Sort(known)
	problem := "is none of " + strings.Join(slices.Compact(known), ", ")
	if len(known) == 0 {
		problem = "is no kind of " + h.Noun + " like spot" + transferArrow + "mix_usdt"
	}
	return &query.ParamError{Param: typeParam, Value: kind, Problem: problem}
}

// historyParams are the parameters of every report that these pages take.
var historyParams = query.AcceptedParams{Taken: []string{"range", "from", "to", "coin", "page", "per"}, Usual: query.Last30}

// rawParams are parameters of the endpoints themselves. An address with one of them shows one
// answer of the exchange as it is, page by page.
var rawParams = []string{"after", "before", "startTime", "endTime", "limit", "pageSize", "pageIndex", "pageNo", "coinId", "bizType", "fromType", "all"}

func isRaw(given url.Values) bool {
	return slices.ContainsFunc(rawParams, given.Has)
}

// StopReadingPath is the address that ends the reading of a range.
const StopReadingPath = histories.StopReadingPath

// Parameters of these pages besides those of every report.
const (
	typeParam  = "type"    // business type, side or status, as the exchange writes it
	orderParam = "orderId" // of fills
	atParam    = "at"      // only what happened within seconds of an instant in milliseconds
	againParam = "again"   // what was read before this instant is read again
	onParam    = "on"      // a reading that was stopped before this instant goes on
)

// nearby is how far from the instant of [atParam] records may be.
const nearby = 5 * time.Second

// asked is a parsed request for a page.
type asked struct {
	console.Asking
	query   query.Query
	kind    string // of typeParam
	order   string
	at      affiliate.Millis
	again   affiliate.Millis
	on      affiliate.Millis
	symbols []string // of fills
	links   ui.Links
}

// HistoryPage shows a range. Its records are read in the background: if that takes longer than
// a moment, the page shows the progress and asks again.
func (s *Area) HistoryPage(h history) fiber.Handler {
	return func(c *fiber.Ctx) error {
		given, err := handler.Parameters(c)
		if err != nil {
			return err
		}
		if isRaw(given) {
			return s.SheetPage(h.Sheet)(c)
		}
		frame, q, err := s.historyFrame(c, h)
		invalid, refused := errors.AsType[*weex.InvalidField](err)
		if err != nil && !refused {
			return err
		}
		view := histories.HistoryView{View: frame, Noun: h.Noun, Fills: h.stream == "", Links: q.links, Zoned: q.query.Zone.String()}
		historyChoices(&view, h, q)
		switch {
		case refused:
			c.Status(http.StatusBadRequest)
			view.Refused = "Nothing was asked: " + invalid.Error() + "."
			view.Wrong = map[string]string{invalid.Field: "It " + invalid.Rule + "."}
			return s.Render(c, histories.History(view))
		case q.Client == nil || view.Fills && len(q.symbols) == 0:
			return s.Render(c, histories.History(view))
		}
		if err := s.Noted(c); err != nil {
			return err
		}
		r, began, err := s.readings.of(h, q, s)
		if err != nil {
			return err
		}
		r.wait(c.UserContext(), readingPatience)
		now := r.state()
		if err := h.checkKind(q.kind, now.list); err != nil && now.done {
			if c.Get("HX-Target") == histories.ProgressID {
				c.Set("HX-Refresh", "true") // the whole page says so
				return nil
			}
			return err
		}
		if began || now.err != nil {
			s.NotePage(c, h.Sheet, q.Asking, now.err)
		}
		view.Budget = console.BudgetOf(q.Client)
		s.fillHistoryView(c, &view, h, q, now)
		if !now.done {
			view.Reading, view.Stopping = r.id, r.stops()
		} else if c.Get("HX-Target") == histories.ProgressID {
			// The progress gives way to the range.
			c.Set("HX-Retarget", "#history")
			c.Set("HX-Reselect", "#history")
		}
		return s.Render(c, histories.History(view))
	}
}

// StopReading ends the reading of a range after the page of the exchange that is under way, for
// all who wait for it. What was read until then stays.
func (s *Area) StopReading(c *fiber.Ctx) error {
	s.readings.stop(s.Form(c).Get("reading"), s.Reader(c))
	return handler.BackTo(c, frame.FillsPath)
}

// historyFrame parses the request. Its error is an *[weex.InvalidField] if a value breaks
// a rule of the endpoint; the frame is complete then, too.
func (s *Area) historyFrame(c *fiber.Ctx, h history) (v frame.View, q asked, err error) {
	sh := console.Sheet{Path: h.Path, Title: h.Title, About: h.About}
	for _, name := range []string{"range", "from", "to", "coin", "page", "per", typeParam, atParam, againParam, onParam} {
		sh.Fields = append(sh.Fields, console.Field(name, "", "text"))
	}
	if h.stream == "" {
		sh.Fields = append(sh.Fields, console.SpotField("symbol", ""), console.Field(orderParam, "", "text"))
	}
	if v, q.Asking, err = s.Frame(c, sh); err != nil {
		return v, q, err
	}
	v.Fields = nil
	given := url.Values{}
	for name := range q.Given {
		given.Set(name, q.Given.Get(name))
	}
	own := func(name string) string {
		text := strings.TrimSpace(given.Get(name))
		given.Del(name)
		return text
	}
	q.kind, q.order = own(typeParam), own(orderParam)
	symbol, account := own("symbol"), own(console.AccountParam)
	for param, target := range map[string]*affiliate.Millis{atParam: &q.at, againParam: &q.again, onParam: &q.on} {
		if text := own(param); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n <= 0 || n > 1<<45 {
				return v, q, &query.ParamError{Param: param, Value: text, Problem: "is no instant in milliseconds"}
			}
			// A page that is read again until later than now would never be done.
			if param != atParam && affiliate.Millis(n) > affiliate.MillisOf(time.Now()) {
				return v, q, &query.ParamError{Param: param, Value: text, Problem: "is later than now"}
			}
			*target = affiliate.Millis(n)
		}
	}
	basis, err := s.Whole.Basis(c.UserContext())
	if err != nil {
		return v, q, err
	}
	basis.AcceptedParams = historyParams
	if q.at.Known() {
		day := affiliate.DayOf(q.at.Time(), basis.Zone).String()
		given.Del("range")
		given.Set("from", day)
		given.Set("to", day)
	} else if q.order != "" && !given.Has("range") && !given.Has("from") && !given.Has("to") {
		given.Set("range", string(query.Last90))
	}
	if q.query, err = query.Parse(given, basis); err != nil {
		return v, q, err
	}
	subject := []string{}
	for _, pair := range [][2]string{{console.AccountParam, account}, {"symbol", symbol}, {orderParam, q.order}, {typeParam, q.kind}} {
		if pair[1] != "" {
			subject = append(subject, pair[0], pair[1])
		}
	}
	q.links = ui.Links{Path: h.Path, Query: q.query, Subject: ui.Pairs(subject...), NoFiles: true}
	if h.stream == "" && q.Client != nil {
		q.symbols, err = s.symbolsOf(c, q, symbol)
	}
	return v, q, err
}

// mostSymbols is how many pairs a page of fills reads, since the exchange lists them pair by
// pair.
const mostSymbols = 12

// symbolsOf returns the pairs of a page of fills: the one that was asked for, or all that the
// reader follows.
func (s *Area) symbolsOf(c *fiber.Ctx, q asked, symbol string) ([]string, error) {
	if symbol == "" && q.order == "" {
		all, err := s.Followed(c.UserContext(), q.Asking)
		return all[:min(len(all), mostSymbols)], err
	}
	a := q.Asking
	a.Values = url.Values{"symbol": {symbol}}
	if q.order != "" {
		a.Values.Set(orderParam, q.order)
	}
	if err := fillsSheet.Check(a); err != nil {
		return nil, err
	}
	if symbol == "" {
		return nil, nil
	}
	console.NoteAsked(s.Market, q.Account, symbol)
	return []string{symbol}, nil
}

// fillHistoryView adds what was read so far.
func (s *Area) fillHistoryView(c *fiber.Ctx, view *histories.HistoryView, h history, q asked, now readingState) {
	view.Kept = now.kept
	if !now.done {
		view.Progress = progressWords(h, q, now)
		view.Share = now.share(q)
		view.Again = c.OriginalURL()
		return
	}
	view.Fresh = q.address(againParam, millisOf(affiliate.MillisOf(now.at)))
	switch {
	case now.stopped != "":
		view.Cut = "Stopped by " + now.stopped + " at " + phrase.Second(now.at, q.query.Zone) + ": " + phrase.Things(len(now.list), h.Noun) + " known, " + now.knownWords(q) + "."
		if len(now.list) == 0 {
			view.Cut = "Stopped by " + now.stopped + " at " + phrase.Second(now.at, q.query.Zone) + ", before anything was known. That is not the same as none."
		}
		view.On = q.address(onParam, millisOf(affiliate.MillisOf(now.at)))
	case now.err != nil && len(now.list) == 0:
		c.Status(http.StatusBadGateway)
		view.Problem = "Nothing is known of this now: " + now.err.Error() + ". That is not the same as none."
		return
	case now.err != nil:
		view.Cut = "Only a part is known, " + now.knownWords(q) + ": " + now.err.Error() + "."
	case now.capped:
		view.Cut = "Cut at " + phrase.Count(console.MaxFileRows) + " records: " + now.knownWords(q) + ". Choose a shorter range to see older ones."
	}
	list := q.selected(now.list)
	view.Count = len(list)
	view.Sums = sumsOf(h, list)
	view.Charts = s.chartsOf(h, q, now, list)
	per := q.query.Per
	view.Pages = max(1, (len(list)+per-1)/per)
	first := min((q.query.Page-1)*per, len(list))
	view.Sheet = s.historySheet(c, h, q, list[first:min(first+per, len(list))])
	view.Sheet.Words = phrase.Things(len(list), h.Noun) + ", as of " + phrase.Second(now.at, q.query.Zone)
	if view.Cut != "" {
		view.Sheet.Words += ", incomplete"
		view.Sheet.Empty = "None among the " + h.Noun + "s that are known."
	}
	view.CSV = strings.Replace(q.address(), h.Path, h.Path+".csv", 1)
	view.Coins = choicesOf(now.list, func(r recorded) string { return string(r.coin) })
	view.Lacking, view.Instead = q.lacking(h, view.Coins)
	for _, kind := range choicesOf(now.list, func(r recorded) string { return r.kind }) {
		view.Types = append(view.Types, ui.Pair{Name: kind, Value: frame.KindWords(kind)})
	}
}

// mostInstead is how many coins are offered instead of one that does not occur.
const mostInstead = 3

// lacking says that a chosen coin does not occur, and offers the nearest ones that do.
func (q asked) lacking(h history, coins []string) (words string, instead []frame.SeeLink) {
	var none []string
	for _, coin := range affiliate.Choices(q.query.Coin) {
		if !slices.ContainsFunc(coins, func(c string) bool { return strings.EqualFold(c, string(coin)) }) {
			none = append(none, string(coin))
		}
	}
	if len(none) == 0 || len(coins) == 0 {
		return "", nil
	}
	for _, coin := range affiliate.Nearest(none[0], coins)[:min(len(coins), mostInstead)] {
		instead = append(instead, frame.SeeLink{Label: coin, Href: q.address("coin", coin)})
	}
	return "No " + h.Noun + " of these days is in " + strings.Join(none, " or ") + ".", instead
}

// historyChoices sets what the filters show.
func historyChoices(view *histories.HistoryView, h history, q asked) {
	view.Type, view.Coin, view.Order = q.kind, string(q.query.Coin), q.order
	if q.at.Known() {
		view.Around = phrase.Second(q.at.Time(), q.query.Zone)
	}
	view.Whole = q.address("from", "", "to", "", "coin", "", typeParam, "", orderParam, "", "range", string(q.query.Range))
	for _, pair := range q.links.Subject {
		if pair.Name == "symbol" {
			view.Symbol = pair.Value
		}
	}
	view.Symbols = q.symbols
	view.Endpoint = q.Link(h.Path, "limit", "50")
	switch h.Section {
	case fillsSheet.Section, fundingSheet.Section:
		view.Endpoint = q.Link(h.Path, "pageSize", "50")
	}
	if view.Fills && view.Symbol != "" {
		view.Endpoint = q.Link(h.Path, "pageSize", "50", "symbol", view.Symbol)
	}
}

// millisOf writes an instant as the parameters of these pages take it.
func millisOf(m affiliate.Millis) string { return strconv.FormatInt(int64(m), 10) }

// address returns the page with changed parameters; an empty value removes one.
func (q asked) address(changed ...string) string {
	values := q.query.Values()
	for _, pair := range q.links.Subject {
		values.Set(pair.Name, pair.Value)
	}
	if q.at.Known() {
		for _, name := range []string{"from", "to", "range"} {
			values.Del(name)
		}
		values.Set(atParam, millisOf(q.at))
	}
	values.Del("page")
	for i := 0; i+1 < len(changed); i += 2 {
		values.Del(changed[i])
		if changed[i+1] != "" {
			values.Set(changed[i], changed[i+1])
		}
	}
	if text := values.Encode(); text != "" {
		return q.links.Path + "?" + text
	}
	return q.links.Path
}

// selected returns the records that the filters leave.
func (q asked) selected(list recordList) recordList {
	coins := affiliate.Choices(q.query.Coin)
	kept := make(recordList, 0, len(list))
	for _, r := range list {
		switch {
		case len(coins) > 0 && !slices.ContainsFunc(coins, func(c affiliate.Coin) bool { return strings.EqualFold(string(c), string(r.coin)) }):
		case q.kind != "" && q.kind != r.kind:
		case q.at.Known() && (r.at < q.at-affiliate.Millis(nearby.Milliseconds()) || r.at > q.at+affiliate.Millis(nearby.Milliseconds())):
		default:
			kept = append(kept, r)
		}
	}
	return kept
}

// choicesOf returns the values that occur, sorted.
func choicesOf(list recordList, of func(recorded) string) (values []string) {
	seen := map[string]bool{}
	for _, r := range list {
		if value := of(r); value != "" && !seen[value] {
			seen[value] = true
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}

// HistoryFile answers with a range as a file. It takes the reading of the page, or makes one.
func (s *Area) HistoryFile(h history) fiber.Handler {
	return func(c *fiber.Ctx) error {
		given, err := handler.Parameters(c)
		if err != nil {
			return err
		}
		if isRaw(given) {
			return s.SheetFile(h.Sheet)(c)
		}
		_, q, err := s.historyFrame(c, h)
		switch {
		case err != nil:
			return console.BrokenRule(err)
		case q.Client == nil:
			return handler.NewProblem(fiber.StatusNotFound, "There is no account in use.")
		case h.stream == "" && len(q.symbols) == 0:
			return &query.ParamError{Param: "symbol", Value: "", Problem: "is needed: the exchange lists fills by pair, and no pair is marked"}
		}
		if err := s.Noted(c); err != nil {
			return err
		}
		r, _, err := s.readings.of(h, q, s)
		if err != nil {
			return err
		}
		r.wait(c.UserContext(), console.FileTimeout)
		now := r.state()
		s.NotePage(c, console.Sheet{Path: h.Path + ".csv"}, q.Asking, now.err)
		if err := h.checkKind(q.kind, now.list); err != nil {
			return err
		}
		list := q.selected(now.list)
		name := h.FileName(q.Asking)
		if now.err != nil || now.capped || !now.done || now.stopped != "" {
			if len(now.list) == 0 {
				why := "it takes longer than " + console.FileTimeout.String() + ": open the page, wait until everything is read, and download it then"
				if now.err != nil {
					why = now.err.Error()
				} else if now.stopped != "" {
					why = "the reading was stopped by " + now.stopped + " before anything was known"
				}
				return handler.NewProblem(fiber.StatusBadGateway, "The file could not be made: "+why)
			}
			name = "incomplete-" + name
		}
		body := h.Header(len(list))
		for _, r := range list {
			body = console.AppendLine(body, h.row(q.Asking, r))
		}
		return console.SendFile(c, name, len(list), body)
	}
}

// paidAt returns the page of the payment that a reward bill belongs to; empty if it is not
// known, or the reader may not see it.
func (s *Area) paidLinks(c *fiber.Ctx) func(account affiliate.Account, wallet affiliate.Wallet, id string) string {
	none := func(affiliate.Account, affiliate.Wallet, string) string { return "" }
	if !s.May(c, access.MayRead) {
		return none
	}
	lines, err := s.Whole.PaidBills(c.UserContext())
	if err != nil {
		s.Log.Warn("the payments of bills could not be read", "error", err)
		return none
	}
	return func(account affiliate.Account, wallet affiliate.Wallet, id string) string {
		key, ok := lines[billName(account, wallet, id)]
		if !ok {
			return ""
		}
		values := url.Values{"account": {string(key.Account)}, "coin": {string(key.Coin)}, "kind": {key.Kind}, "start": {key.From.String()}, "end": {key.To.String()}}
		if key.Bill != "" {
			values.Set("bill", key.Bill)
		}
		return "/payments/line?" + values.Encode()
	}
}

// described is what programs are told about the file of a range of days.
func (h history) described() route.Operation {
	return h.Operation(h.About+", of a range of days.", append([]query.ParamInfo{console.OfAccount}, historyParams.Describe()...))
}
