package query

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/people"
)

// Query is one query to a report: which days, which records, in which order, as of when.
// Its text form is the query string of every page and export; [Parse] and
// [Query.Values] are inverse to each other.
type Query struct {
	Range   RangeName      // Custom when Days were given
	Days    affiliate.Days // the requested reporting days, in Zone
	Month   string         // instead of days, as 2026-09; empty: none
	Compare Compare
	Account affiliate.Account
	Product affiliate.Product // comma-separated if several, as in Coin and Code
	Coin    affiliate.Coin
	UID     affiliate.UID
	Symbol  string
	Source  affiliate.Source
	Code    string // invite code
	Text    string // "q": free search
	By      string // what the report is split by, e.g. "product" or "week"; a name of Basis.By
	Metric  string // which of its figures the report shows: a name of Basis.Metrics
	State   string // a state of invitees or payments; a name of Basis.States
	Tag     string // a tag of invitees
	Segment string // the name of a segment of invitees, which sets Members
	KYC     string // of invitees: a value of [KYCChoices]
	Cols    string // columns to show, comma-separated; empty = the report's defaults
	Sort    Sort
	Page    int       // from 1
	Per     int       // rows per page
	AsOf    time.Time // the state known then, an earlier one; zero means now
	Since   time.Time // what became known after this instant; zero means that it was not given
	// SinceUsual reports that Since is the default of the report, which may know a better one.
	SinceUsual bool
	Until      time.Time // what became known up to this instant; zero means now

	own string // what the report alone takes, as [Query.Own] reads it

	// Members are the invitees to whom the query is limited. They are no parameter: the door of
	// the reports sets them, from the caller.
	Members affiliate.Members
	// Names are the names that the caller may see: Text finds them, and files of invitees have
	// them. They are no parameter either; nil: no names.
	Names *people.NameBook

	Zone  *time.Location // of the reporting days
	Today affiliate.Day  // in Zone, when the query was read
	Usual RangeName      // the default range, as Basis.Usual
	// UsualCompare is the default comparison, as Basis.UsualCompare.
	UsualCompare Compare
	Rows         int // the default of Per, as Basis.Rows
}

// UsualPer returns the rows of a page unless others are asked for.
func (q Query) UsualPer() int { return cmp.Or(q.Rows, DefaultPer) }

// Sort is an order of rows: a column and a direction ("-commission").
type Sort struct {
	Field      string
	Descending bool
}

// String returns the text form of the order.
func (s Sort) String() string {
	if s.Descending {
		return "-" + s.Field
	}
	return s.Field
}

// Basis is the context in which a query string is read.
type Basis struct {
	Now   time.Time
	Zone  *time.Location
	First affiliate.Day // the oldest day anything is stored about: where "all" begins
	AcceptedParams
}

// AcceptedParams lists what a report accepts in addition to days and filters. The report does not
// accept a parameter whose field is empty.
type AcceptedParams struct {
	Taken []string  // the only parameters accepted; empty means all of [Params]
	Sorts []string  // columns for sorting
	Order Sort      // default order
	Usual RangeName // default range; empty means [Last30]
	// Timeless is set for a report about all time, which the range of other pages does not follow.
	Timeless bool
	Rows     int      // default rows per page; 0 means [DefaultPer]
	By       []string // ways to split; the first is the default
	Metrics  []string // figures to show; the first is the default
	States   []string // of invitees or payments
	Tags     bool     // of invitees
	Months   bool     // a month instead of days
	Since    bool     // since and until
	Usually  int      // default of since: the first instant of the day so many days ago; 0: none
	Columns  []string // available columns
	Own      []Own    // parameters of this report
	// Compared is the default comparison of a report that always compares. Empty: the report
	// compares nothing by default.
	Compared Compare
	// UsualCompare is the default comparison of a report that need not compare. Empty: none.
	UsualCompare Compare
}

// Takes reports whether the report accepts a parameter.
func (p AcceptedParams) Takes(name string) bool {
	return len(p.Taken) == 0 || slices.Contains(p.Taken, name)
}

// Carried lists the parameters that follow a reader from page to page. Days do not follow to a report
// without ranges, such as one of months, nor to one that is timeless.
func (p AcceptedParams) Carried() (names []string) {
	for _, name := range []string{"range", "from", "to", "compare", "account", "as_of"} {
		if p.Takes(name) && (p.Takes("range") && !p.Timeless || !slices.Contains([]string{"range", "from", "to"}, name)) {
			names = append(names, name)
		}
	}
	return names
}

// narrowing are the filters that mean the same on each page that takes them.
var narrowing = []string{"product", "coin", "uid", "symbol", "source", "code", "segment", "tag"}

// Narrowed lists the filters that follow a reader to another view of the same figures.
func (p AcceptedParams) Narrowed() (names []string) {
	for _, name := range narrowing {
		if p.Takes(name) {
			names = append(names, name)
		}
	}
	return names
}

// Compares lists the comparisons that the report accepts.
func (p AcceptedParams) Compares() []Compare {
	if p.Compared == "" {
		return Compares()
	}
	return slices.DeleteFunc(Compares(), func(c Compare) bool { return c == CompareNone })
}

// ParamError is an invalid parameter of a query. Pages answer it with 400 and its text.
type ParamError struct {
	Param, Value, Problem string
	Allowed               []string // the valid values, or names, if they are few; nil: not listed
}

func invalid(param, value, problem string) *ParamError {
	return &ParamError{Param: param, Value: value, Problem: problem}
}

// BeyondPages refuses a page after the last one.
func BeyondPages(page, pages int) *ParamError {
	problem := fmt.Sprintf("there are %d pages", pages)
	if pages == 1 {
		problem = "there is one page"
	}
	return invalid("page", strconv.Itoa(page), problem)
}

// Error names the parameter, its value and the problem.
func (e *ParamError) Error() string {
	param := e.Param
	if !slices.Contains(Params, param) {
		param = strconv.Quote(shortened(param)) // as the sender wrote it
	}
	return fmt.Sprintf("%s=%q: %s", param, shortened(e.Value), e.Problem)
}

// shortened returns the beginning of a long text.
func shortened(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// Rows per page.
const (
	DefaultPer = 25
	MaxPer     = 500
	MaxPage    = 1_000_000_000
	maxDays    = 3660 // a page may have a line for each day
	maxText    = 100
	maxSegment = 150  // the name of one may end with that of a user
	maxChoices = 1000 // for a filter that takes several values
)

// Parse reads a query string. A parameter that is unknown, given twice or not
// accepted is a *ParamError; none is ignored silently. An empty value counts as
// absent, because forms send their empty fields.
func Parse(values url.Values, basis Basis) (Query, error) {
	q := Query{
		Compare: cmp.Or(basis.Compared, basis.UsualCompare, CompareNone), UsualCompare: basis.UsualCompare, Sort: basis.Order, Page: 1, Per: cmp.Or(basis.Rows, DefaultPer), Rows: basis.Rows,
		Zone: basis.Zone, Today: affiliate.DayOf(basis.Now, basis.Zone), Usual: basis.Usual,
	}
	q.Range = q.UsualRange()
	if len(basis.By) > 0 {
		q.By = basis.By[0]
	}
	if len(basis.Metrics) > 0 {
		q.Metric = basis.Metrics[0]
	}
	for i := range basis.Own {
		q.SetOwn(basis.Own[i].Name, basis.Own[i].usual())
	}
	if basis.Usually > 0 {
		q.Since, q.SinceUsual = (q.Today - affiliate.Day(basis.Usually)).Start(q.Zone).UTC(), true
	}
	names := slices.Sorted(maps.Keys(values))
	for _, name := range names {
		if err := basis.takes(name, values.Get(name)); err != nil {
			return q, withAllowed(err, "", basis.AcceptedParams)
		}
	}
	for _, name := range names {
		given := values[name]
		switch name {
		case "cols":
			given = []string{strings.Join(given, ",")} // a form sends each box separately
		case "as_of", "since", "until":
			given = joinedTime(given)
		}
		if len(given) > 1 {
			return q, invalid(name, given[1], "is given more than once")
		}
		if value := strings.TrimSpace(given[0]); value != "" {
			if err := q.set(name, value, basis); err != nil {
				return q, withAllowed(err, name, basis.AcceptedParams)
			}
		}
	}
	for _, o := range basis.Own {
		if o.NotBy && q.Own(o.Name) == q.By {
			return q, invalid(o.Name, q.By, "is what the rows are by, too; choose another one for rows or columns")
		}
	}
	if err := q.orderInstants(basis.Now); err != nil {
		return q, err
	}
	given := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	if err := q.resolveDays(given("range"), given("from"), given("to"), basis.First); err != nil {
		return q, withAllowed(err, "range", basis.AcceptedParams)
	}
	return q, nil
}

// Days and instants outside this range are meaningless here.
var Earliest, Latest = affiliate.NewDay(2000, 1, 1), affiliate.NewDay(2100, 1, 1)

// IsUID reports whether a text has the form of a UID.
func IsUID(text string) bool { return affiliate.IsUID(text) }

// Shows reports whether a column is shown: one that was chosen or, if none was, one that
// the report shows by default.
func (q Query) Shows(column string, byItself bool) bool {
	if q.Cols == "" {
		return byItself
	}
	return slices.Contains(strings.Split(q.Cols, ","), column)
}

// resolveDays resolves range, from and to.
func (q *Query) resolveDays(name, from, to string, first affiliate.Day) error {
	if days, ok := monthDays(q.Month); ok {
		q.Days = days
		if name+from+to != "" {
			return invalid("month", q.Month, "cannot stand together with range, from and to")
		}
		return nil
	}
	if from == "" && to == "" {
		if name != "" {
			q.Range = RangeName(name)
		}
		days, ok := q.Range.days(q.Today, first)
		if !ok {
			return invalid("range", name, "is none of "+Join(RangeNames()))
		}
		q.Days = days
		return nil
	}
	if name != "" {
		return invalid("range", name, "cannot stand together with from and to")
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
		if err != nil || day < Earliest || day > Latest {
			return invalid(end.param, end.value, "is not a day such as 2026-09-07")
		}
		*end.day = day
	}
	switch {
	case q.Days.Len() > maxDays:
		return invalid("from", q.Days.First.String(), fmt.Sprintf("lies %d days before to=%s; a range has at most %d days", q.Days.Len(), q.Days.Last, maxDays))
	case q.Days.First <= q.Days.Last:
		return nil
	case from == "":
		return invalid("to", to, "lies before the first day there is anything about, "+q.Days.First.String())
	case to == "":
		return invalid("from", from, "lies after today, "+q.Days.Last.String())
	}
	return invalid("from", from, "lies after to="+to)
}

// UsualRange returns the default range of the report.
func (q Query) UsualRange() RangeName {
	if q.Usual == "" {
		return Last30
	}
	return q.Usual
}

// AsOfMillis returns the requested instant; 0 means now.
func (q Query) AsOfMillis() affiliate.Millis {
	if q.AsOf.IsZero() {
		return 0
	}
	return affiliate.MillisOf(q.AsOf)
}

// Past reports whether a past state is requested.
func (q Query) Past() bool { return !q.AsOf.IsZero() }

// AsOfDay returns the day at whose end the requested state stood, if it stood at the end of a
// reporting day.
func (q Query) AsOfDay() (affiliate.Day, bool) {
	if q.AsOf.IsZero() {
		return 0, false
	}
	day := affiliate.DayOf(q.AsOf, q.Zone)
	return day, edgeOf(day, true, q.Zone).Equal(q.AsOf)
}

// IncludesToday reports whether the range includes the unfinished day: today, or the day of
// the past instant requested.
func (q Query) IncludesToday() bool {
	if q.Past() {
		return q.Days.Contains(affiliate.DayOf(q.AsOf, q.Zone))
	}
	return q.Days.Contains(q.Today)
}

// Whyable reports whether the query is narrow enough to have a cause.
func (q Query) Whyable() bool {
	if q.UID != "" {
		return q.Days.Len() <= mostWhyOne
	}
	return q.Days.Len() == 1 || q.Filtered() && q.Days.Len() <= mostWhyDays
}

const (
	mostWhyDays = 31      // longer ranges have no single cause
	mostWhyOne  = 31 * 12 // for one invitee, whose records are few
)
