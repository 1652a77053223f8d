package reports

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// Query is one question put to a report: which days, which records, in which
// order, as known when. Its text form is the query string of every page and
// export; [ParseQuery] and [Query.Values] are inverse to each other.
type Query struct {
	Range   RangeName      // Custom when Days were given
	Days    affiliate.Days // the reporting days asked for, in Zone
	Compare Compare
	Account affiliate.Account
	Product affiliate.Product // several with a comma between, as Coin and Code
	Coin    affiliate.Coin
	UID     affiliate.UID
	Symbol  string
	Source  affiliate.Source
	Code    string // invite code
	Text    string // "q": free search
	By      string // what the report is split by, e.g. "product" or "week"; a name of Basis.By
	Metric  string // which of its figures the report shows; a name of Basis.Metrics
	State   string // a state of invitees; a name of Basis.States
	Tag     string // a tag of invitees
	KYC     string // of invitees: a value of [KYCChoices]
	Cols    string // the columns to show, comma between; empty = those of the report itself
	Sort    Sort
	Page    int       // from 1
	Per     int       // rows per page
	AsOf    time.Time // the state known then; zero is now

	Zone  *time.Location // of the reporting day
	Today affiliate.Day  // in Zone, when the query was read
	Usual RangeName      // the range when none is asked for, as Basis.Usual
}

// Sort is an order of rows: a column and a direction ("-commission").
type Sort struct {
	Field      string
	Descending bool
}

// String is the text form of the order.
func (s Sort) String() string {
	if s.Descending {
		return "-" + s.Field
	}
	return s.Field
}

// Basis is what a query string is read against.
type Basis struct {
	Now   time.Time
	Zone  *time.Location
	First affiliate.Day // the oldest day anything is stored about: where "all" begins
	Sorts []string      // columns that may be sorted by; the first is the default
	Order Sort          // the order when none is asked for
	Usual RangeName     // the range when none is asked for; empty is [Last30]

	// What only some reports take; empty where this one does not.
	By      []string // ways to split; the first is the default
	Metrics []string // figures to show; the first is the default
	States  []string
	Tags    bool
	Columns []string // that can be chosen
}

// ParamError is a parameter of a query that cannot be used. Pages answer it
// with 400 and its text.
type ParamError struct{ Param, Value, Problem string }

func (e *ParamError) Error() string {
	param := e.Param
	if !slices.Contains(Params, param) {
		param = strconv.Quote(shortened(param)) // somebody else's words
	}
	return fmt.Sprintf("%s=%q: %s", param, shortened(e.Value), e.Problem)
}

// shortened is the beginning of a long text.
func shortened(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// Rows per page.
const (
	DefaultPer = 50
	MaxPer     = 500
	maxPage    = 1_000_000_000
	maxDays    = 3660 // a page has a line for each day
	maxText    = 100
	maxChoices = 1000 // of a filter that takes several values
)

// Params lists the parameters of a query, in the order they are written.
var Params = []string{
	"range", "from", "to", "compare", "account", "product", "coin", "uid",
	"symbol", "source", "code", "q", "by", "metric", "state", "kyc", "tag", "cols", "sort", "page", "per", "as_of",
}

// ParseQuery reads a query string. A parameter that is unknown, given twice or
// of no use is a *ParamError; none is silently ignored. An empty value is as
// good as none, since forms send their empty fields.
func ParseQuery(values url.Values, basis Basis) (Query, error) {
	q := Query{
		Compare: CompareNone, Sort: basis.Order, Page: 1, Per: DefaultPer,
		Zone: basis.Zone, Today: affiliate.DayOf(basis.Now, basis.Zone), Usual: basis.Usual,
	}
	q.Range = q.UsualRange()
	if len(basis.By) > 0 {
		q.By = basis.By[0]
	}
	if len(basis.Metrics) > 0 {
		q.Metric = basis.Metrics[0]
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		given := values[name]
		if !slices.Contains(Params, name) {
			return q, &ParamError{name, given[0], "there is no such parameter; the parameters are " + strings.Join(Params, ", ")}
		}
		if name == "cols" {
			given = []string{strings.Join(given, ",")} // a form sends each box of its own
		}
		if len(given) > 1 {
			return q, &ParamError{name, given[1], "is given more than once"}
		}
		if value := strings.TrimSpace(given[0]); value != "" {
			if err := q.set(name, value, basis); err != nil {
				return q, err
			}
		}
	}
	given := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return q, q.resolveDays(given("range"), given("from"), given("to"), basis.First)
}

var (
	uidForm    = regexp.MustCompile(`^[0-9A-Za-z_-]{1,32}$`)
	problemLen = fmt.Sprintf("is longer than %d characters or has control characters", maxText)

	// No day and no instant outside of these means anything here.
	earliest, latest = affiliate.NewDay(2000, 1, 1), affiliate.NewDay(2100, 1, 1)
)

// IsUID reports whether a text has the form of a UID.
func IsUID(text string) bool { return uidForm.MatchString(text) }

// plainText reports whether a value can be searched for and shown.
func plainText(value string) bool { return plainUpTo(maxText, value) }

func plainUpTo(most int, value string) bool {
	return utf8.ValidString(value) && utf8.RuneCountInString(value) <= most && !strings.ContainsFunc(value, unicode.IsControl)
}

func (q *Query) set(name, value string, basis Basis) error {
	bad := func(problem string) error { return &ParamError{name, value, problem} }
	switch {
	case name == "code" || name == "coin":
		if !plainUpTo(maxChoices, value) {
			return bad(fmt.Sprintf("is longer than %d characters or has control characters", maxChoices))
		}
	case !plainText(value):
		return bad(problemLen)
	}
	switch name {
	case "compare":
		if !slices.Contains(Compares(), Compare(value)) {
			return bad("is none of " + join(Compares()))
		}
		q.Compare = Compare(value)
	case "account":
		q.Account = affiliate.Account(value)
	case "product":
		products := affiliate.Choices(affiliate.Product(strings.ToUpper(value)))
		if len(products) == 0 || slices.ContainsFunc(products, func(p affiliate.Product) bool { return !p.Known() }) {
			return bad("is none of " + join(affiliate.Products()))
		}
		q.Product = affiliate.Choose(products)
	case "coin":
		// The exchange has coins like wxt.e and 币安人生.
		q.Coin = affiliate.Coin(value)
		if len(affiliate.Choices(q.Coin)) == 0 {
			return bad("is not the code of a coin, such as USDT")
		}
	case "uid":
		if !uidForm.MatchString(value) {
			return bad("is not a UID, such as 4667776811")
		}
		q.UID = affiliate.UID(value)
	case "symbol":
		q.Symbol = value
	case "source":
		if !slices.Contains(affiliate.Sources(), affiliate.Source(value)) {
			return bad("is none of " + join(affiliate.Sources()))
		}
		q.Source = affiliate.Source(value)
	case "code":
		q.Code = value
	case "q":
		q.Text = value
	case "by":
		if !slices.Contains(basis.By, value) {
			return bad(noneOf(basis.By))
		}
		q.By = value
	case "metric":
		if !slices.Contains(basis.Metrics, value) {
			return bad(noneOf(basis.Metrics))
		}
		q.Metric = value
	case "state":
		if !slices.Contains(basis.States, value) {
			return bad(noneOf(basis.States))
		}
		q.State = value
	case "kyc":
		if len(basis.States) == 0 {
			return bad(noneOf(nil))
		}
		if !slices.Contains(KYCChoices(), value) {
			return bad(noneOf(KYCChoices()))
		}
		q.KYC = value
	case "tag":
		if !basis.Tags {
			return bad(noneOf(nil))
		}
		q.Tag = value
	case "cols":
		return q.setColumns(value, basis.Columns)
	case "sort":
		field, descending := strings.CutPrefix(value, "-")
		if !slices.Contains(basis.Sorts, field) {
			return bad("cannot be sorted by; the columns are " + strings.Join(basis.Sorts, ", "))
		}
		q.Sort = Sort{field, descending}
	case "page", "per":
		return q.setPaging(name, value)
	case "as_of":
		t, err := time.Parse(time.RFC3339, value)
		if day := affiliate.DayOf(t, time.UTC); err != nil || day < earliest || day > latest {
			return bad("is not a time such as 2026-09-07T12:00:00Z")
		}
		q.AsOf = t.UTC()
	}
	return nil
}

// noneOf is what is wrong with a value that is not among those a report takes.
func noneOf(taken []string) string {
	if len(taken) == 0 {
		return "cannot be used here: this report has no such choice"
	}
	return "is none of " + strings.Join(taken, ", ")
}

// setColumns keeps the chosen columns in the order of the report.
func (q *Query) setColumns(value string, all []string) error {
	chosen := map[string]bool{}
	for _, name := range strings.Split(value, ",") {
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(all, name) {
			return &ParamError{"cols", name, noneOf(all)}
		}
		chosen[name] = true
	}
	q.Cols = strings.Join(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !chosen[name] }), ",")
	return nil
}

// Shows reports whether a column is shown: a chosen one, or, where none was
// chosen, one that the report shows by itself.
func (q Query) Shows(column string, byItself bool) bool {
	if q.Cols == "" {
		return byItself
	}
	return slices.Contains(strings.Split(q.Cols, ","), column)
}

func (q *Query) setPaging(name, value string) error {
	target, limit := &q.Page, maxPage
	if name == "per" {
		target, limit = &q.Per, MaxPer
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > limit {
		return &ParamError{name, value, fmt.Sprintf("is not a whole number from 1 to %d", limit)}
	}
	*target = n
	return nil
}

// resolveDays settles range against from and to.
func (q *Query) resolveDays(name, from, to string, first affiliate.Day) error {
	if from == "" && to == "" {
		if name != "" {
			q.Range = RangeName(name)
		}
		days, ok := q.Range.days(q.Today, first)
		if !ok {
			return &ParamError{"range", name, "is none of " + join(RangeNames())}
		}
		q.Days = days
		return nil
	}
	if name != "" {
		return &ParamError{"range", name, "cannot stand together with from and to"}
	}
	q.Range = Custom
	q.Days = affiliate.Days{First: min(first, q.Today), Last: q.Today}
	for _, end := range []struct {
		param, value string
		day          *affiliate.Day
	}{{"from", from, &q.Days.First}, {"to", to, &q.Days.Last}} {
		if end.value == "" {
			continue
		}
		day, err := affiliate.ParseDay(end.value)
		if err != nil || day < earliest || day > latest {
			return &ParamError{end.param, end.value, "is not a day such as 2026-09-07"}
		}
		*end.day = day
	}
	switch {
	case q.Days.Len() > maxDays:
		return &ParamError{"from", q.Days.First.String(), fmt.Sprintf("lies %d days before to=%s; a range has at most %d days", q.Days.Len(), q.Days.Last, maxDays)}
	case q.Days.First <= q.Days.Last:
		return nil
	case from == "":
		return &ParamError{"to", to, "lies before the first day there is anything about, " + q.Days.First.String()}
	case to == "":
		return &ParamError{"from", from, "lies after today, " + q.Days.Last.String()}
	}
	return &ParamError{"from", from, "lies after to=" + to}
}

// UsualRange is the range that the report has when none is asked for.
func (q Query) UsualRange() RangeName {
	if q.Usual == "" {
		return Last30
	}
	return q.Usual
}

// Values is the query string again, without what is default.
func (q Query) Values() url.Values {
	v := url.Values{}
	put := func(name, value, standard string) {
		if value != standard {
			v.Set(name, value)
		}
	}
	if q.Range == Custom {
		v.Set("from", q.Days.First.String())
		v.Set("to", q.Days.Last.String())
	} else {
		put("range", string(q.Range), string(q.UsualRange()))
	}
	put("compare", string(q.Compare), string(CompareNone))
	put("account", string(q.Account), "")
	put("product", string(q.Product), "")
	put("coin", string(q.Coin), "")
	put("uid", string(q.UID), "")
	put("symbol", q.Symbol, "")
	put("source", string(q.Source), "")
	put("code", q.Code, "")
	put("q", q.Text, "")
	put("by", q.By, "")
	put("metric", q.Metric, "")
	put("state", q.State, "")
	put("kyc", q.KYC, "")
	put("tag", q.Tag, "")
	put("cols", q.Cols, "")
	put("sort", q.Sort.String(), "")
	put("page", strconv.Itoa(q.Page), "1")
	put("per", strconv.Itoa(q.Per), strconv.Itoa(DefaultPer))
	if !q.AsOf.IsZero() {
		v.Set("as_of", q.AsOf.Format(time.RFC3339Nano))
	}
	return v
}

// Filtered reports whether anything but days narrows the result.
func (q Query) Filtered() bool {
	return q.Account != "" || q.Product != "" || q.Coin != "" || q.UID != "" ||
		q.Symbol != "" || q.Source != "" || q.Code != "" || q.Text != "" || q.State != "" || q.KYC != "" || q.Tag != ""
}

// WithoutFilters is the same question about all records of the days.
func (q Query) WithoutFilters() Query {
	return Query{
		Range: q.Range, Days: q.Days, Compare: q.Compare, By: q.By, Metric: q.Metric, Cols: q.Cols, Sort: q.Sort, Page: 1, Per: q.Per,
		AsOf: q.AsOf, Zone: q.Zone, Today: q.Today, Usual: q.Usual,
	}
}

// Past reports whether an earlier state is asked for. One of a day that is still
// to come is no other than that of now.
func (q Query) Past() bool { return !q.AsOf.IsZero() && affiliate.DayOf(q.AsOf, q.Zone) <= q.Today }

// IncludesToday reports whether the unfinished day is part of it: the current
// one, or that of the earlier instant that is asked for.
func (q Query) IncludesToday() bool {
	if q.Past() {
		return q.Days.Contains(affiliate.DayOf(q.AsOf, q.Zone))
	}
	return q.Days.Contains(q.Today)
}

// Words is the range as a person writes it: days, zone, and whether it is
// still running or when it was known so.
func (q Query) Words() string {
	words := Words(q.Days, q.Zone)
	switch {
	case q.Past():
		words += ", as known on " + q.AsOf.In(q.Zone).Format("2 Jan 2006 15:04 MST")
	case q.IncludesToday():
		words += ", to now"
	}
	return words
}

func join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}
