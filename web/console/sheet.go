package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/console"
)

// sheet is a page about one endpoint of the exchange, and its file.
type sheet struct {
	Path, title, about string
	answers            string     // the question that it answers, for its help
	terms              []string   // of the glossary, for its help
	words              string     // further ones by which the search finds the page
	section            string     // of the interface document; its parameters are the fields
	noun               string     // of a row: "fill"
	fixed              url.Values // parameters given by the address of the page
	fields             []templates.ConsoleField
	columns            []templates.SheetColumn
	refresh            bool // the page refreshes itself
	// own are parameters of the page that the exchange does not know, with their choices; nil: any text.
	own   map[string][]string
	sorts map[string]int // columns by which the page can be sorted, by their names

	// ask returns the content of the page and the parameters of the neighbouring
	// pages, nil if they do not exist.
	ask func(ctx context.Context, a asking) (page sheetPage, err error)
	// all iterates over the whole range; nil if the page shows all of it.
	all func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error]
}

// sheetPage is the result of one call.
type sheetPage struct {
	rows       []templates.SheetRow
	back, next url.Values
	empty      string    // a special reason why the page has no rows
	unread     string    // what could not be read, in sentences
	at         time.Time // when it was read; zero means just now
}

// asking is a request for a page, with validated parameters.
type asking struct {
	console Exchange
	account affiliate.Account
	client  *exchange.Client
	values  url.Values // the exchange's parameters, in its format
	given   url.Values // all parameters, as given
	zone    *time.Location
	user    string
}

// accountParam names the account on every page of the console.
const accountParam = "account"

// SheetPage returns the handler of a sheet as a page.
func (s *Area) SheetPage(sh sheet) fiber.Handler {
	return func(c *fiber.Ctx) error {
		view, a, err := s.consoleView(c, sh)
		if err != nil || a.client == nil {
			return s.renderConsole(c, view, err)
		}
		if sh.missing(a) {
			return s.renderConsole(c, view, nil)
		}
		if err := s.noted(c); err != nil {
			return err
		}
		page, err := sh.read(c.UserContext(), a)
		s.notePage(c, sh, a, err)
		view.Sheet = sh.sheet(page, err, s.Zone)
		view.Budget = budgetOf(a.client)
		if err != nil {
			failedPage(c, &view, err)
		} else {
			view.Back, view.Next = sh.address(a, page.back), sh.address(a, page.next)
			view.CSV = fileAddress(sh.Path, a.given, false)
			if sh.all != nil {
				view.All = fileAddress(sh.Path, a.given, true)
			}
			sh.sortable(&view, a)
		}
		if sh.refresh && err == nil {
			view.Refresh = c.OriginalURL()
		}
		return s.renderConsole(c, view, nil)
	}
}

func (s *Area) renderConsole(c *fiber.Ctx, view templates.ConsoleView, err error) error {
	if err != nil {
		return err
	}
	return s.Render(c, templates.Console(view))
}

// consoleView returns the frame of a page and the parsed request. Without an account in
// use it has no client.
func (s *Area) consoleView(c *fiber.Ctx, sh sheet) (v templates.ConsoleView, a asking, err error) {
	v = templates.ConsoleView{Page: s.Page(c, sh.title, "/console"), About: sh.about,
		Filter: sh.Path, Accounts: s.Console.Names(), Token: s.Token(c), Zone: s.Zone}
	v.Tabs, v.Here, v.Parts, v.Part = tabsFor(sh.Path)
	if s.DemoTrader && handler.OnThisMachine(c) && !s.May(c, access.MayTrade) {
		v.AsTrader = handler.DemoSignIn(c.OriginalURL())
	}
	if v.Trading, err = s.tradingBar(c); err != nil {
		return v, a, err
	}
	given, err := handler.Parameters(c)
	if err != nil {
		return v, a, err
	}
	if err := sh.takes(given); err != nil {
		return v, a, err
	}
	if sh.exact(given) && c.Get("HX-Boosted") == "true" {
		c.Set("HX-Push-Url", addressOf(sh.Path, given)) // addresses have the exact symbol
	}
	v.Account = affiliate.Account(given.Get(accountParam))
	if v.Account == "" && len(v.Accounts) > 0 {
		v.Account = v.Accounts[0]
	}
	client, ok := s.Console.Client(v.Account)
	if !ok && given.Has(accountParam) {
		return v, a, &query.ParamError{Param: accountParam, Value: string(v.Account), Problem: "is no account in use"}
	}
	a = asking{console: s.Console, account: v.Account, given: given, values: sh.values(given, s.Zone), zone: s.Zone, user: s.Reader(c)}
	if ok {
		a.client, v.Budget = client, budgetOf(client)
	}
	v.Fields = sh.filled(a)
	return v, a, nil
}

// takes refuses parameters that have no effect on the page.
func (sh sheet) takes(given url.Values) error {
	for name, values := range given {
		choices, own := sh.own[name]
		known := own || name == accountParam || name == "all" || slices.ContainsFunc(sh.fields, func(f templates.ConsoleField) bool { return f.Name == name })
		if !known || len(values) > 1 {
			return &query.ParamError{Param: name, Value: values[0], Problem: "cannot be used here, or stands there twice"}
		}
		if choices != nil && values[0] != "" && !slices.Contains(choices, values[0]) {
			return &query.ParamError{Param: name, Value: values[0], Problem: "is none of " + strings.Join(choices, ", ")}
		}
	}
	return nil
}

// exact gives the fields for a pair its symbol instead of what somebody wrote, and reports whether
// that changed one.
func (sh sheet) exact(given url.Values) (changed bool) {
	for _, f := range sh.fields {
		if f.SymbolOf == nil || !given.Has(f.Name) {
			continue
		}
		if symbol := f.SymbolOf(given.Get(f.Name)); symbol != given.Get(f.Name) {
			given.Set(f.Name, symbol)
			changed = true
		}
	}
	return changed
}

// addressOf returns a page with parameters.
func addressOf(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// values returns the exchange's parameters among the given ones, with times in its
// format.
func (sh sheet) values(given url.Values, zone *time.Location) url.Values {
	values := url.Values{}
	for name := range sh.fixed {
		values.Set(name, sh.fixed.Get(name))
	}
	for _, f := range sh.fields {
		text := strings.TrimSpace(given.Get(f.Name))
		if _, own := sh.own[f.Name]; text == "" || own {
			continue
		}
		if f.Kind == "datetime-local" {
			text = millisText(text, zone)
		}
		values.Set(f.Name, text)
	}
	return values
}

// localTimes are the formats in which browsers write a time.
var localTimes = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05.000"}

// millisText converts a time of a form to the exchange's format. An invalid time stays
// unchanged, so that the rules report it.
func millisText(text string, zone *time.Location) string {
	for _, layout := range localTimes {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return strconv.FormatInt(t.UnixMilli(), 10)
		}
	}
	return text
}

// filled returns the fields with the requested values.
func (sh sheet) filled(a asking) []templates.ConsoleField {
	fields := slices.Clone(sh.fields)
	for i, f := range fields {
		fields[i].Value = a.given.Get(f.Name)
		if f.SymbolOf != nil {
			fields[i].Value = affiliate.WrittenPair(fields[i].Value, f.SymbolOf)
		}
		if n, err := strconv.ParseInt(a.values.Get(f.Name), 10, 64); f.Kind == "datetime-local" && err == nil {
			fields[i].Value = time.UnixMilli(n).In(a.zone).Format(localTimes[0])
		}
	}
	return fields
}

// missing reports whether a field that the exchange requires is still empty.
func (sh sheet) missing(a asking) bool {
	return slices.ContainsFunc(sh.fields, func(f templates.ConsoleField) bool { return f.Needed && a.values.Get(f.Name) == "" })
}

// read checks the parameters by the rules of the document and sends the request.
func (sh sheet) read(ctx context.Context, a asking) (sheetPage, error) {
	if err := sh.check(a); err != nil {
		return sheetPage{}, err
	}
	return sh.ask(exchange.WithPriority(ctx, exchange.Interactive), a)
}

// check applies the same rules to a request as the proxy does.
func (sh sheet) check(a asking) error {
	for _, e := range exchange.Endpoints() {
		if sh.section == "" || e.Section != sh.section {
			continue
		}
		r := exchange.Request{Method: e.Method, Path: e.Path}
		if e.Method == http.MethodGet {
			r.Query = a.values.Encode()
		} else {
			fields := map[string]string{}
			for name := range a.values {
				fields[name] = a.values.Get(name)
			}
			body, err := json.Marshal(fields)
			if err != nil {
				return err
			}
			r.Body = body
		}
		_, err := a.client.Read(r)
		return err
	}
	return nil
}

// sheet returns the result of a request as a table.
func (sh sheet) sheet(page sheetPage, err error, zone *time.Location) *templates.Sheet {
	t := &templates.Sheet{Title: sh.title, Columns: slices.Clone(sh.columns), Rows: page.rows, Empty: page.empty, Unread: page.unread}
	if page.at.IsZero() {
		page.at = time.Now()
	}
	at := phrase.Second(page.at, zone)
	if invalid, ok := errors.AsType[*exchange.InvalidField](err); ok {
		t.Rows, t.Problem = nil, fmt.Sprintf("Nothing was asked: %s.", invalid.Error())
		return t
	}
	if err != nil {
		t.Rows, t.Problem = nil, "Nothing is known of this now: "+err.Error()+". That is not the same as none."
		return t
	}
	t.Words = fmt.Sprintf("%d %ss, as of %s", len(page.rows), sh.noun, at)
	if len(page.rows) == 1 {
		t.Words = "1 " + sh.noun + ", as of " + at
	}
	if t.Empty == "" {
		t.Empty = "No " + sh.noun + "s: the exchange lists none."
	}
	return t
}

// failedPage sets the status of a page that could not be read, and shows a broken rule
// at its field.
func failedPage(c *fiber.Ctx, view *templates.ConsoleView, err error) {
	invalid, ok := errors.AsType[*exchange.InvalidField](err)
	if !ok {
		c.Status(http.StatusBadGateway)
		return
	}
	c.Status(http.StatusBadRequest)
	for i, f := range view.Fields {
		if f.Name == invalid.Field {
			view.Fields[i].Problem = "It " + invalid.Rule + "."
		}
	}
}

// address returns the page with other parameters, or an empty string without any.
func (sh sheet) address(a asking, changed url.Values) string {
	if changed == nil {
		return ""
	}
	values := url.Values{}
	for name := range a.given {
		values.Set(name, a.given.Get(name))
	}
	for name := range changed {
		values.Set(name, changed.Get(name))
	}
	return sh.Path + "?" + values.Encode()
}

// notePage adds a line about a page to the audit log. A page that refreshes itself
// already has its line.
func (s *Area) notePage(c *fiber.Ctx, sh sheet, a asking, err error) {
	if c.Get("HX-Request") == "true" && c.Get("HX-Boosted") != "true" && err == nil {
		return
	}
	outcome := ""
	if err != nil {
		outcome = err.Error()
	}
	s.note(c, "console page", sh.Path, string(a.account)+" "+handler.Quote(a.given.Encode()), outcome)
}

func budgetOf(client *exchange.Client) templates.ConsoleBudget {
	state := client.Budget()
	b := templates.ConsoleBudget{Used: state.Used, Limit: state.Limit}
	for _, n := range state.Waiting {
		b.Waiting += n
	}
	if state.BannedUntil.After(time.Now()) {
		b.Banned = state.BannedUntil
	}
	return b
}

// sortable links the headings of columns to the sorted page.
func (sh sheet) sortable(v *templates.ConsoleView, a asking) {
	if v.Sheet == nil {
		return
	}
	asked, descending := strings.CutPrefix(a.given.Get("sort"), "-")
	for i, c := range v.Sheet.Columns {
		if _, ok := sh.sorts[c.Name]; !ok {
			continue
		}
		next, state := c.Name, "none"
		if c.Numeric {
			next = "-" + c.Name
		}
		if asked == c.Name {
			state = "ascending"
			next = "-" + c.Name
			if descending {
				state, next = "descending", c.Name
			}
		}
		v.Sheet.Columns[i].Sort, v.Sheet.Columns[i].Sorted = sh.address(a, url.Values{"sort": {next}}), state
	}
}
