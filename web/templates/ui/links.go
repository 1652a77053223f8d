package ui

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/closings"
	"rebatedesk/store/outbox"
)

// Links makes the addresses of the pages next to a page: the same query with one
// change.
type Links struct {
	Path  string
	Query query.Query
	// Accepts are the parameters of the page; what they have by default is left out of addresses.
	Accepts query.AcceptedParams
	Views   ViewMenu // the saved views

	Subject  []Pair      // parameters of the address that name what the page is about
	Reported KnownStates // earlier states that the page can show

	NoFiles bool // the reader may not download files
	Writes  bool // the reader may annotate days
	Some    bool // the reader sees some invitees only
	Large   bool // the reader enlarged the chart of the page
	// Compared is the comparison of a page that always compares, see [query.AcceptedParams].
	Compared query.Compare
	// SameHours are the hours of a running day that are compared with the same ones of another day;
	// nil: whole ranges are compared.
	SameHours *affiliate.Range
}

// KnownStates are earlier states of the data by their names.
type KnownStates struct {
	Summaries []outbox.Reported  // that were sent, newest first
	Closings  []closings.Closing // in force, the newest month first
}

// shownClosings is how many closed months are offered.
const shownClosings = 6

// Months returns the newest closings.
func (k KnownStates) Months() []closings.Closing {
	return k.Closings[:min(shownClosings, len(k.Closings))]
}

// Here returns the address of the page itself, in its shortest form.
func (l Links) Here() string { return l.Address(l.Path, l.Query) }

// With returns the address of the first page of the changed query.
func (l Links) With(change func(*query.Query)) string {
	q := l.Query
	q.Page = 1
	change(&q)
	return l.Address(l.Path, q)
}

// Turn returns the address of another page of the same result.
func (l Links) Turn(page int) string {
	q := l.Query
	q.Page = page
	return l.Address(l.Path, q)
}

// Export returns the address of the same query as a file, which has no pages.
func (l Links) Export(path string) string {
	q := l.Query
	q.Page, q.Per = 1, q.UsualPer()
	return l.Address(path, q)
}

func (l Links) values(q query.Query) url.Values {
	values := q.Values()
	for _, one := range l.Subject {
		values.Set(one.Name, one.Value)
	}
	l.Accepts.WithoutUsual(values)
	if _, ok := l.Views.Default(l.Path); ok && q.Range == q.UsualRange() {
		values.Set("range", string(q.Range)) // the bare address would lead to the default view
	}
	return values
}

func (l Links) Address(path string, q query.Query) string {
	if query := l.values(q).Encode(); query != "" {
		return path + "?" + query
	}
	return path
}

// Pair is a hidden field of a form.
type Pair struct{ Name, Value string }

// Pairs builds pairs from alternating names and values.
func Pairs(of ...string) []Pair {
	list := make([]Pair, 0, len(of)/2)
	for i := 0; i+1 < len(of); i += 2 {
		list = append(list, Pair{of[i], of[i+1]})
	}
	return list
}

// Hidden returns the fields that carry the rest of the query through a form that sets
// the named parameters itself. Paging restarts.
func (l Links) Hidden(asked ...string) []Pair {
	values := l.values(l.Query)
	pairs := slices.Clone(l.Subject)
	for _, name := range query.Params {
		if slices.ContainsFunc(l.Subject, func(one Pair) bool { return one.Name == name }) {
			continue
		}
		if name != "page" && values.Has(name) && !slices.Contains(asked, name) {
			pairs = append(pairs, Pair{name, values.Get(name)})
		}
	}
	return pairs
}

// chip is a filter in use, with the address of the page without it.
type chip struct{ Label, Value, Remove string }

// chips returns the filters in use; searched: the page has a field that shows what is sought.
func (l Links) chips(searched bool) []chip {
	q := l.Query
	var chips []chip
	add := func(label, value string, clear func(*query.Query)) {
		if value != "" {
			chips = append(chips, chip{label, value, l.With(clear)})
		}
	}
	add("Account", string(q.Account), func(q *query.Query) { q.Account = "" })
	if q.Product != "" {
		add("Product", ProductWords(q.Product), func(q *query.Query) { q.Product = "" })
	}
	add("Coin", ListWords(q.Coin), func(q *query.Query) { q.Coin = "" })
	if q.Source != "" {
		add("Source", q.Source.Label(), func(q *query.Query) { q.Source = "" })
	}
	add("Code", ListWords(q.Code), func(q *query.Query) { q.Code = "" })
	add("UID", string(q.UID), func(q *query.Query) { q.UID = "" })
	add("Pair", affiliate.MarketPair(q.Symbol), func(q *query.Query) { q.Symbol = "" })
	if !searched {
		add("Search", q.Text, func(q *query.Query) { q.Text = "" })
	}
	add("State", StateLabel(q.State), func(q *query.Query) { q.State = "" })
	add("KYC", KycLabel(q.KYC), func(q *query.Query) { q.KYC = "" })
	for _, o := range l.Accepts.Own {
		if o.Label != "" {
			add(o.Label, ownWords(o.Name, q.Own(o.Name)), func(q *query.Query) { q.SetOwn(o.Name, "") })
		}
	}
	add("Tag", q.Tag, func(q *query.Query) { q.Tag = "" })
	add("Segment", q.Segment, func(q *query.Query) { q.Segment = "" })
	return chips
}

// ownWords says what the value of a report's own filter means.
func ownWords(name, value string) string {
	switch {
	case value == "":
		return ""
	case name == "kind":
		return KindLabel(books.Kind(value))
	case name == "reason":
		return phrase.WorkReason(worklist.ReasonName(value))
	case name == "owner" && value == worklist.NobodysOwner:
		return "Nobody"
	}
	return value
}

// ListWords lists the values of a filter, for people.
func ListWords[T ~string](filter T) string {
	return strings.Join(strings.Split(string(affiliate.Choose(affiliate.Choices(filter))), ","), ", ")
}

// ProductWords names the products of the filter.
func ProductWords(filter affiliate.Product) string {
	var names []string
	for _, product := range affiliate.Choices(filter) {
		names = append(names, product.Label())
	}
	return strings.Join(names, ", ")
}

// Clear returns the address of the page without any filter.
func (l Links) Clear() string {
	return l.With(func(q *query.Query) { *q = q.WithoutFilters() })
}

// Now returns the address of the page in the present state.
func (l Links) Now() string {
	return l.With(func(q *query.Query) { q.AsOf = time.Time{} })
}

// sorted returns the address of the page sorted by a column, in reverse if it is
// already sorted by it.
func (l Links) sorted(c TableColumn) string {
	return l.With(func(q *query.Query) {
		if q.Sort.Field == c.Field {
			q.Sort.Descending = !q.Sort.Descending
		} else {
			q.Sort = query.Sort{Field: c.Field, Descending: c.Largest}
		}
	})
}

// To returns the address of another page about the same days and account, at the same
// instant, with one more parameter. Other filters and the order of this page mean
// something else there.
func (l Links) To(path, param, value string) string {
	q := query.Query{Range: l.Query.Range, Days: l.Query.Days, Compare: carriedCompare(l.Query), Account: l.Query.Account,
		AsOf: l.Query.AsOf, Page: 1, Per: query.DefaultPer}
	values := q.Values()
	if param != "" {
		values.Set(param, value)
	}
	if query := values.Encode(); query != "" {
		return path + "?" + query
	}
	return path
}

// DriversPath is the address of the page that explains a change in commission.
const DriversPath = "/drivers"

// Drivers returns the address of what moved the commission of the page's query, narrowed by
// change, which may be nil. Choices of this page that leave no records out have no meaning
// there.
func (l Links) Drivers(change func(*query.Query)) string {
	q := l.records()
	q.Compare = l.Query.Compare
	return addressOf(DriversPath, q, change)
}

// SameRecords returns the address of another page about the records of the page's query, narrowed by
// change, which may be nil.
func (l Links) SameRecords(path string, change func(*query.Query)) string {
	return addressOf(path, l.records(), change)
}

// records returns a query of the same records without the choices of the page that leave none out.
func (l Links) records() query.Query {
	return query.Query{Range: l.Query.Range, Days: l.Query.Days, Compare: carriedCompare(l.Query), Account: l.Query.Account,
		Product: l.Query.Product, Coin: l.Query.Coin, UID: l.Query.UID, Symbol: l.Query.Symbol, Source: l.Query.Source,
		Code: l.Query.Code, Segment: l.Query.Segment, Text: l.Query.Text, AsOf: l.Query.AsOf, Page: 1, Per: query.DefaultPer}
}

func addressOf(path string, q query.Query, change func(*query.Query)) string {
	if change != nil {
		change(&q)
	}
	if query := q.Values().Encode(); query != "" {
		return path + "?" + query
	}
	return path
}

// DriversFit reports whether the page about drivers can narrow its records as this page does. It
// cannot choose by state, tag or KYC, and a search text means something else on a list.
func (l Links) DriversFit() bool {
	q := l.Query
	return q.State == "" && q.Tag == "" && q.KYC == "" && q.Text == ""
}

// DriversOf returns the address of what moved the commission of a coin.
func (l Links) DriversOf(coin affiliate.Coin) string {
	return l.Drivers(func(q *query.Query) { q.Coin = coin })
}

// PivotBy returns the address of the pivot table of the page's records in one coin, or in all of
// them, with a row for each name of an axis.
func (l Links) PivotBy(axis string, coin affiliate.Coin) string {
	q := l.records()
	if coin != "" {
		q.Coin = coin
	}
	return l.pivot(q, axis)
}

func (l Links) pivot(q query.Query, axis string) string {
	values := q.Values()
	for _, name := range []string{"by", "metric", "cols", "sort", "page", "per"} {
		values.Del(name)
	}
	if values.Get("range") == "" && values.Get("from") == "" {
		values.Set("range", string(l.Query.Range)) // its usual range is another one
	}
	if axis != "" {
		values.Set("by", axis)
	}
	return "/pivot?" + values.Encode()
}

// AnnotationsPath is the address of the list of annotations, and NewAnnotationPath that of the form
// for a new one.
const (
	AnnotationsPath   = "/annotations"
	NewAnnotationPath = AnnotationsPath + "/new"
)

// Annotating returns the address of the form for an annotation on the last day of the page, about
// its account and code. The form leads back to the page.
func (l Links) Annotating() string {
	values := url.Values{"back": {l.Here()}, "from": {l.Query.Days.Last.String()}}
	if l.Query.Today != 0 && l.Query.Today < l.Query.Days.Last {
		values.Set("from", l.Query.Today.String())
	}
	if l.Query.Account != "" {
		values.Set("account", string(l.Query.Account))
	}
	if codes := affiliate.Choices(l.Query.Code); len(codes) == 1 {
		values.Set("code", codes[0])
	}
	return NewAnnotationPath + "?" + values.Encode()
}

// Annotations returns the address of the list of annotations about the page's account and code.
func (l Links) Annotations() string {
	values := url.Values{}
	if l.Query.Account != "" {
		values.Set("account", string(l.Query.Account))
	}
	if l.Query.Code != "" {
		values.Set("code", l.Query.Code)
	}
	if len(values) == 0 {
		return AnnotationsPath
	}
	return AnnotationsPath + "?" + values.Encode()
}

// Records returns the address of the commission records of one invitee.
func (l Links) Records(uid string) string { return l.To("/commissions", "uid", uid) }

// Invitee returns the address of the page of one invitee, which asks for the account if
// several know the UID.
func (l Links) Invitee(uid string) string { return l.To("/invitees/"+url.PathEscape(uid), "", "") }

// InviteeOf returns the address of the page of one invitee of an account; without one
// it uses that of the query.
func (l Links) InviteeOf(account affiliate.Account, uid affiliate.UID) string {
	if account != "" {
		l.Query.Account = account
	}
	return l.Invitee(string(uid))
}

func Itoa(n int) string { return strconv.Itoa(n) }

// Coded returns the address of the list of all invitees of a code.
func (l Links) Coded(code string) string { return l.To("/invitees", "code", code) }

// OfAccount returns the page about the UID in one account.
func (l Links) OfAccount(account affiliate.Account) string {
	return l.With(func(q *query.Query) { q.Account = account })
}

// RecordsOf returns the address of the records of an invitee of one account.
func (l Links) RecordsOf(account affiliate.Account, uid affiliate.UID) string {
	q := query.Query{Range: l.Query.Range, Days: l.Query.Days, Compare: l.Query.Compare, Account: account,
		Product: l.Query.Product, Coin: l.Query.Coin, Symbol: l.Query.Symbol, Source: l.Query.Source,
		AsOf: l.Query.AsOf, Page: 1, Per: query.DefaultPer, UID: uid}
	return "/commissions?" + q.Values().Encode()
}

// SubAffiliate returns the address of the page of one sub-affiliate.
func (l Links) SubAffiliate(uid affiliate.UID) string {
	return l.To("/sub-affiliates/"+url.PathEscape(string(uid)), "", "")
}

// OfFile removes the settings that only the page knows: its order and its columns apply
// to sums.
func (l Links) OfFile() Links {
	l.Query.Sort, l.Query.Cols = l.Accepts.Order, ""
	return l
}

// of returns the same page about the account of a line.
func (l Links) of(line invitecodes.CodeLine) Links {
	l.Query.Account = line.Account
	return l
}

// CodeRecords returns the address of the commission records of a code.
func (l Links) CodeRecords(line invitecodes.CodeLine) string {
	return l.of(line).To("/commissions", "code", line.Code)
}

// CodeInvitees returns the address of the invitees who registered with a code.
func (l Links) CodeInvitees(line invitecodes.CodeLine) string {
	return l.of(line).To("/invitees", "code", line.Code)
}

// CodeTraders returns the address of the invitees of a code with a commission record in the range,
// whom the code counts as active: those whom the filters of the page leave.
func (l Links) CodeTraders(line invitecodes.CodeLine) string {
	q := query.Query{Range: l.Query.Range, Days: l.Query.Days, Compare: carriedCompare(l.Query), Account: line.Account,
		Product: l.Query.Product, Coin: l.Query.Coin, Symbol: l.Query.Symbol, Source: l.Query.Source, Segment: l.Query.Segment,
		AsOf: l.Query.AsOf, Page: 1, Per: query.DefaultPer, Code: line.Code, State: invitees.ChoiceTraded}
	return "/invitees?" + q.Values().Encode()
}

// SegmentsPath is the address of the list of segments.
const SegmentsPath = "/segments"

// DeliveriesPath is the address of the scheduled deliveries.
const DeliveriesPath = "/deliveries"

// MonthsPath is the address of the list of months.
const MonthsPath = "/months"

// WorklistPath is the address of the worklist.
const WorklistPath = "/worklist"

// ReturnsPath is the address of the page of costs and what they brought back.
const ReturnsPath = "/returns"

// MonthAddress returns the address of the page of a month.
func MonthAddress(first affiliate.Day) string { return MonthsPath + "/" + closings.MonthText(first) }

// carriedCompare is the comparison that links to other pages keep: one that was chosen. The usual
// one of a page is its own, and other pages compare with nothing by themselves.
func carriedCompare(q query.Query) query.Compare {
	if q.Compare == q.UsualCompare {
		return query.CompareNone
	}
	return q.Compare
}

// Carry returns the part of a query that the navigation and the tabs keep.
func Carry(q query.Query) string {
	q.Compare, q.UsualCompare = carriedCompare(q), ""
	all, kept := q.Values(), url.Values{}
	for _, name := range []string{"range", "from", "to", "compare", "account", "as_of"} {
		if all.Has(name) {
			kept.Set(name, all.Get(name))
		}
	}
	maps.Copy(kept, q.Filters())
	return kept.Encode()
}

// rangeKeys are the keys of ranges. Rows of lists and the ticket have other keys.
var rangeKeys = map[query.RangeName]string{query.Last7: "w", query.Last30: "t", query.MonthTo: "m", query.LastMonth: "l", query.YearTo: "y"}

// compareKey is the key of a comparison: one key turns the comparison off, or on again as the
// previous period. A page that always compares has none.
func (l Links) compareKey(c query.Compare) string {
	comparing := l.Query.Compare != query.CompareNone
	if l.Compared == "" && (comparing && c == query.CompareNone || !comparing && c == query.ComparePrevious) {
		return "c"
	}
	return ""
}

// shortcut marks the link that a key follows.
func shortcut(key string) templ.Attributes {
	if key == "" {
		return nil
	}
	return templ.Attributes{"data-shortcut": key, "aria-keyshortcuts": key}
}
