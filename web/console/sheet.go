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
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
)

// Sheet is a page about one endpoint of the exchange, and its file.
type Sheet struct {
	Path, Title, About string
	Answers            string     // the question that it answers, for its help
	Terms              []string   // of the glossary, for its help
	Words              string     // further ones by which the search finds the page
	Section            string     // of the interface document; its parameters are the fields
	Noun               string     // of a row: "fill"
	Fixed              url.Values // parameters given by the address of the page
	Fields             []frame.Field
	Columns            []frame.SheetColumn
	Refresh            bool // the page refreshes itself
	// Own are parameters of the page that the exchange does not know, with their choices; nil: any text.
	Own   map[string][]string
	Sorts map[string]int // columns by which the page can be sorted, by their names

	// Ask returns the content of the page and the parameters of the neighbouring
	// pages, nil if they do not exist.
	Ask func(ctx context.Context, a Asking) (page SheetPage, err error)
	// All iterates over the whole range; nil if the page shows all of it.
	All func(ctx context.Context, a Asking) iter.Seq2[frame.SheetRow, error]
}

// SheetPage is the result of one call.
type SheetPage struct {
	Rows       []frame.SheetRow
	Back, Next url.Values
	Empty      string    // a special reason why the page has no rows
	Unread     string    // what could not be read, in sentences
	At         time.Time // when it was read; zero means just now
}

// Asking is a request for a page, with validated parameters.
type Asking struct {
	Console Exchange
	Account affiliate.Account
	Client  *weex.Client
	Values  url.Values // the exchange's parameters, in its format
	Given   url.Values // all parameters, as given
	Zone    *time.Location
	User    string
}

// AccountParam names the account on every page of the console.
const AccountParam = "account"

// SheetPage returns the handler of a sheet as a page.
func (s *Base) SheetPage(sh Sheet) fiber.Handler {
	return func(c *fiber.Ctx) error {
		view, a, err := s.Frame(c, sh)
		if err != nil || a.Client == nil {
			return s.RenderPage(c, view, err)
		}
		if sh.missing(a) {
			return s.RenderPage(c, view, nil)
		}
		if err := s.Noted(c); err != nil {
			return err
		}
		page, err := sh.read(c.UserContext(), a)
		s.NotePage(c, sh, a, err)
		view.Sheet = sh.Sheet(page, err, s.Zone)
		view.Budget = BudgetOf(a.Client)
		if err != nil {
			FailedPage(c, &view, err)
		} else {
			view.Back, view.Next = sh.address(a, page.Back), sh.address(a, page.Next)
			view.CSV = fileAddress(sh.Path, a.Given, false)
			if sh.All != nil {
				view.All = fileAddress(sh.Path, a.Given, true)
			}
			sh.sortable(&view, a)
		}
		if sh.Refresh && err == nil {
			view.Refresh = c.OriginalURL()
		}
		return s.RenderPage(c, view, nil)
	}
}

// RenderPage answers with a page that has a frame and a sheet only.
func (s *Base) RenderPage(c *fiber.Ctx, view frame.View, err error) error {
	if err != nil {
		return err
	}
	return s.Render(c, frame.Page(view))
}

// Frame returns the frame of a page and the parsed request. Without an account in
// use it has no client.
func (s *Base) Frame(c *fiber.Ctx, sh Sheet) (v frame.View, a Asking, err error) {
	v = frame.View{Page: s.Page(c, sh.Title, "/console"), About: sh.About,
		Filter: sh.Path, Accounts: s.Console.Names(), Token: s.Token(c), Zone: s.Zone}
	v.Tabs, v.Here, v.Parts, v.Part = tabsFor(sh.Path)
	if s.DemoTrader && handler.OnThisMachine(c) && !s.May(c, access.MayTrade) {
		v.AsTrader = handler.DemoSignIn(c.OriginalURL())
	}
	if v.Trading, err = s.TradingBar(c); err != nil {
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
	v.Account = affiliate.Account(given.Get(AccountParam))
	if v.Account == "" && len(v.Accounts) > 0 {
		v.Account = v.Accounts[0]
	}
	client, ok := s.Console.Client(v.Account)
	if !ok && given.Has(AccountParam) {
		return v, a, &query.ParamError{Param: AccountParam, Value: string(v.Account), Problem: "is no account in use"}
	}
	a = Asking{Console: s.Console, Account: v.Account, Given: given, Values: sh.values(given, s.Zone), Zone: s.Zone, User: s.Reader(c)}
	if ok {
		a.Client, v.Budget = client, BudgetOf(client)
	}
	v.Fields = sh.Filled(a)
	return v, a, nil
}

// takes refuses parameters that have no effect on the page.
func (sh Sheet) takes(given url.Values) error {
	for name, values := range given {
		choices, own := sh.Own[name]
		known := own || name == AccountParam || name == "all" || slices.ContainsFunc(sh.Fields, func(f frame.Field) bool { return f.Name == name })
		if !known || len(values) > 1 {
			return &query.ParamError{Param: name, Value: values[0], Problem: "cannot be used here, or stands there twice"}
		}
		if choices != nil && values[0] != "" && !slices.Contains(choices, values[0]) {
			return &query.ParamError{Param: name, Value: values[0], Problem: "is none of " + strings.Join(choices, ", ")}
		}
	}
	return nil
}

// exact gives the fields for a pair its symbol instead of what a user wrote, and reports whether
// that changed one.
func (sh Sheet) exact(given url.Values) (changed bool) {
	for _, f := range sh.Fields {
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
func (sh Sheet) values(given url.Values, zone *time.Location) url.Values {
	values := url.Values{}
	for name := range sh.Fixed {
		values.Set(name, sh.Fixed.Get(name))
	}
	for _, f := range sh.Fields {
		text := strings.TrimSpace(given.Get(f.Name))
		if _, own := sh.Own[f.Name]; text == "" || own {
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

// Filled returns the fields with the requested values.
func (sh Sheet) Filled(a Asking) []frame.Field {
	fields := slices.Clone(sh.Fields)
	for i, f := range fields {
		fields[i].Value = a.Given.Get(f.Name)
		if f.SymbolOf != nil {
			fields[i].Value = affiliate.WrittenPair(fields[i].Value, f.SymbolOf)
		}
		if n, err := strconv.ParseInt(a.Values.Get(f.Name), 10, 64); f.Kind == "datetime-local" && err == nil {
			fields[i].Value = time.UnixMilli(n).In(a.Zone).Format(localTimes[0])
		}
	}
	return fields
}

// missing reports whether a field that the exchange requires is still empty.
func (sh Sheet) missing(a Asking) bool {
	return slices.ContainsFunc(sh.Fields, func(f frame.Field) bool { return f.Needed && a.Values.Get(f.Name) == "" })
}

// read checks the parameters by the rules of the document and sends the request.
func (sh Sheet) read(ctx context.Context, a Asking) (SheetPage, error) {
	if err := sh.Check(a); err != nil {
		return SheetPage{}, err
	}
	return sh.Ask(exchange.WithPriority(ctx, exchange.Interactive), a)
}

// Check applies the same rules to a request as the proxy does.
func (sh Sheet) Check(a Asking) error {
	for _, e := range weex.Endpoints() {
		if sh.Section == "" || e.Section != sh.Section {
			continue
		}
		r := weex.Request{Method: e.Method, Path: e.Path}
		if e.Method == http.MethodGet {
			r.Query = a.Values.Encode()
		} else {
			fields := map[string]string{}
			for name := range a.Values {
				fields[name] = a.Values.Get(name)
			}
			body, err := json.Marshal(fields)
			if err != nil {
				return err
			}
			r.Body = body
		}
		_, err := a.Client.Read(r)
		return err
	}
	return nil
}

// Sheet returns the result of a request as a table.
func (sh Sheet) Sheet(page SheetPage, err error, zone *time.Location) *frame.Sheet {
	t := &frame.Sheet{Title: sh.Title, Columns: slices.Clone(sh.Columns), Rows: page.Rows, Empty: page.Empty, Unread: page.Unread}
	if page.At.IsZero() {
		page.At = time.Now()
	}
	at := phrase.Second(page.At, zone)
	if invalid, ok := errors.AsType[*weex.InvalidField](err); ok {
		t.Rows, t.Problem = nil, fmt.Sprintf("Nothing was asked: %s.", invalid.Error())
		return t
	}
	if err != nil {
		t.Rows, t.Problem = nil, "Nothing is known of this now: "+err.Error()+". That is not the same as none."
		return t
	}
	t.Words = fmt.Sprintf("%d %ss, as of %s", len(page.Rows), sh.Noun, at)
	if len(page.Rows) == 1 {
		t.Words = "1 " + sh.Noun + ", as of " + at
	}
	if t.Empty == "" {
		t.Empty = "No " + sh.Noun + "s: the exchange lists none."
	}
	return t
}

// FailedPage sets the status of a page that could not be read, and shows a broken rule
// at its field.
func FailedPage(c *fiber.Ctx, view *frame.View, err error) {
	invalid, ok := errors.AsType[*weex.InvalidField](err)
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
func (sh Sheet) address(a Asking, changed url.Values) string {
	if changed == nil {
		return ""
	}
	values := url.Values{}
	for name := range a.Given {
		values.Set(name, a.Given.Get(name))
	}
	for name := range changed {
		values.Set(name, changed.Get(name))
	}
	return sh.Path + "?" + values.Encode()
}

// NotePage adds a line about a page to the audit log. A page that refreshes itself
// already has its line.
func (s *Base) NotePage(c *fiber.Ctx, sh Sheet, a Asking, err error) {
	if c.Get("HX-Request") == "true" && c.Get("HX-Boosted") != "true" && err == nil {
		return
	}
	outcome := ""
	if err != nil {
		outcome = err.Error()
	}
	s.Note(c, "console page", sh.Path, string(a.Account)+" "+handler.Quote(a.Given.Encode()), outcome)
}

// BudgetOf returns how much of the limit of calls is used.
func BudgetOf(client *weex.Client) frame.CallBudget {
	state := client.Budget()
	b := frame.CallBudget{Used: state.Used, Limit: state.Limit}
	for _, n := range state.Waiting {
		b.Waiting += n
	}
	if state.BannedUntil.After(time.Now()) {
		b.Banned = state.BannedUntil
	}
	return b
}

// sortable links the headings of columns to the sorted page.
func (sh Sheet) sortable(v *frame.View, a Asking) {
	if v.Sheet == nil {
		return
	}
	asked, descending := strings.CutPrefix(a.Given.Get("sort"), "-")
	for i, c := range v.Sheet.Columns {
		if _, ok := sh.Sorts[c.Name]; !ok {
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

// Limits of a file of the console. Its rows come from the exchange a hundred at a time,
// so longer ranges have to be downloaded in parts.
const (
	MaxFileRows  = 50_000
	FileTimeout  = 40 * time.Second
	bytesPerLine = 160
)

// fileAddress is the address of a page as a file.
func fileAddress(path string, given url.Values, all bool) string {
	values := url.Values{}
	for name := range given {
		values.Set(name, given.Get(name))
	}
	if all {
		values.Set("all", "1")
	}
	if query := values.Encode(); query != "" {
		return path + ".csv?" + query
	}
	return path + ".csv"
}

// SheetFile answers with a sheet as a file: with the content of the page or, with
// all=1, of the whole range. The file is made before its first byte is sent: only then
// is it known whether the file is complete, which its name states.
func (s *Base) SheetFile(sh Sheet) fiber.Handler {
	return func(c *fiber.Ctx) error {
		_, a, err := s.Frame(c, sh)
		switch {
		case err != nil:
			return err
		case a.Client == nil:
			return handler.NewProblem(fiber.StatusNotFound, "There is no account in use.")
		}
		if err := sh.Check(a); err != nil {
			return BrokenRule(err)
		}
		if err := s.Noted(c); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(exchange.WithPriority(c.UserContext(), exchange.Interactive), FileTimeout)
		defer cancel()
		body, rows, broken := sh.file(ctx, a)
		s.NotePage(c, Sheet{Path: sh.Path + ".csv"}, a, broken)
		name := sh.FileName(a)
		if broken != nil {
			if invalid := BrokenRule(broken); invalid != broken {
				return invalid
			}
			if rows == 0 {
				return handler.NewProblem(fiber.StatusBadGateway, "The file could not be made: "+broken.Error())
			}
			name = "incomplete-" + name
		}
		return SendFile(c, name, rows, body)
	}
}

// SendFile answers with a file in CSV.
func SendFile(c *fiber.Ctx, name string, rows int, body []byte) error {
	c.Set(fiber.HeaderContentType, export.CSV.ContentType())
	c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition(name))
	c.Set(handler.RowsTrailer, strconv.Itoa(rows))
	return c.Send(body)
}

// BrokenRule converts a broken rule to its form for programs and leaves other errors
// unchanged.
func BrokenRule(err error) error {
	if invalid, ok := errors.AsType[*weex.InvalidField](err); ok {
		return &query.ParamError{Param: invalid.Field, Value: invalid.Value, Problem: invalid.Rule}
	}
	return err
}

// file returns the sheet in CSV, as far as it could be read.
func (sh Sheet) file(ctx context.Context, a Asking) (body []byte, rows int, err error) {
	body = sh.Header(64)
	for row, err := range sh.rows(ctx, a) {
		if err != nil {
			return body, rows, err
		}
		if rows == MaxFileRows {
			return body, rows, fmt.Errorf("there are more than %d rows: ask for a shorter range", MaxFileRows)
		}
		body = AppendLine(body, row)
		rows++
	}
	return body, rows, nil
}

// rows returns the rows of the page, or of the whole range if requested.
func (sh Sheet) rows(ctx context.Context, a Asking) func(func(frame.SheetRow, error) bool) {
	if a.Given.Get("all") != "" && sh.All != nil {
		return sh.All(ctx, a)
	}
	return func(yield func(frame.SheetRow, error) bool) {
		page, err := sh.Ask(ctx, a)
		if err != nil {
			yield(frame.SheetRow{}, err)
			return
		}
		for _, row := range page.Rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// AppendLine writes a row. Foreign text is guarded; numbers never are.
func AppendLine(b []byte, row frame.SheetRow) []byte {
	for i, cell := range row.Cells {
		if i > 0 {
			b = append(b, ',')
		}
		if cell.Words {
			b = export.AppendTextCell(b, cell.Raw)
		} else {
			b = append(b, cell.Raw...)
		}
	}
	return append(b, "\r\n"...)
}

// FileName returns a name that states the content and the time of the file.
func (sh Sheet) FileName(a Asking) string {
	return sh.Noun + "s-" + string(a.Account) + "-" + time.Now().UTC().Format("20060102T150405Z") + ".csv"
}

// Header begins a file with the names of its columns.
func (sh Sheet) Header(rows int) []byte {
	body := make([]byte, 0, (rows+2)*bytesPerLine)
	for i, column := range sh.Columns {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, column.Name...)
	}
	return append(body, "\r\n"...)
}
