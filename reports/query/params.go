package query

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// param is one parameter of a query string.
type param struct {
	name  string
	most  int                                             // maximum number of characters
	set   func(q *Query, value string, basis Basis) error // the value is not empty
	text  func(q *Query) string                           // empty: as if absent
	reset func(q *Query)                                  // for a filter: undoes set
	own   bool                                            // declared by reports
}

// params are the parameters of a query, in the order of listing. One that reports share is a line
// here and a field of [Query]; [Declare] adds those that a report has of its own.
var params = []param{
	days("range"), days("from"), days("to"),
	monthParam,
	compareParam,
	filter("account", maxText, func(q *Query) *affiliate.Account { return &q.Account }, anyText[affiliate.Account]),
	filter("product", maxText, func(q *Query) *affiliate.Product { return &q.Product }, readProducts),
	filter("coin", maxChoices, func(q *Query) *affiliate.Coin { return &q.Coin }, readCoins),
	filter("uid", maxText, func(q *Query) *affiliate.UID { return &q.UID }, readUID),
	filter("symbol", maxText, func(q *Query) *string { return &q.Symbol }, readSymbol),
	filter("source", maxText, func(q *Query) *affiliate.Source { return &q.Source }, readSource),
	filter("code", maxChoices, func(q *Query) *string { return &q.Code }, anyText[string]),
	filter("segment", maxSegment, func(q *Query) *string { return &q.Segment }, anyText[string]),
	filter("q", maxText, func(q *Query) *string { return &q.Text }, anyText[string]),
	notFilter(filter("by", maxText, func(q *Query) *string { return &q.By }, oneOf(func(b Basis) []string { return b.By }))),
	notFilter(filter("metric", maxText, func(q *Query) *string { return &q.Metric }, oneOf(func(b Basis) []string { return b.Metrics }))),
	filter("state", maxText, func(q *Query) *string { return &q.State }, oneOf(func(b Basis) []string { return b.States })),
	filter("kyc", maxText, func(q *Query) *string { return &q.KYC }, oneOf(func(b Basis) []string {
		if len(b.States) == 0 {
			return nil
		}
		return KYCChoices()
	})),
	filter("tag", maxText, func(q *Query) *string { return &q.Tag }, func(value string, b Basis) (string, string) {
		if !b.Tags {
			return "", noneOf(nil)
		}
		return value, ""
	}),
	{name: "cols", most: maxChoices, set: setColumns, text: func(q *Query) string { return q.Cols }},
	{name: "sort", most: maxText, set: setSort, text: func(q *Query) string { return q.Sort.String() }},
	number("page", MaxPage, func(*Query) int { return 1 }, func(q *Query) *int { return &q.Page }),
	number("per", MaxPer, func(q *Query) int { return q.UsualPer() }, func(q *Query) *int { return &q.Per }),
	{name: "as_of", most: maxText, set: setAsOf, text: func(q *Query) string { return instantText(q.AsOf, true, q.Zone) }},
	instant("since", false, func(q *Query) *time.Time { return &q.Since }),
	instant("until", true, func(q *Query) *time.Time { return &q.Until }),
}

// Params lists the parameters of a query.
var Params = names(params)

func names(params []param) []string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.name
	}
	return list
}

// days are read together, by [Query.resolveDays].
func days(name string) param {
	return param{name: name, most: maxText,
		set: func(*Query, string, Basis) error { return nil },
		text: func(q *Query) string {
			switch {
			case q.Range != Custom && name == "range" && q.Range != q.UsualRange():
				return string(q.Range)
			case q.Range == Custom && name == "from":
				return q.Days.First.String()
			case q.Range == Custom && name == "to":
				return q.Days.Last.String()
			}
			return ""
		}}
}

// monthForm is a month as text.
const monthForm = "2006-01"

var monthParam = param{name: "month", most: maxText,
	set: func(q *Query, value string, basis Basis) error {
		if !basis.Months {
			return invalid("month", value, noneOf(nil))
		}
		if _, ok := monthDays(value); !ok {
			return invalid("month", value, "is not a month such as 2026-09")
		}
		q.Month = value
		return nil
	},
	text: func(q *Query) string { return q.Month },
}

// monthDays returns the days of a month.
func monthDays(month string) (affiliate.Days, bool) {
	first, err := time.Parse(monthForm, month)
	day := affiliate.DayOf(first, time.UTC)
	if err != nil || day < Earliest || day >= Latest {
		return affiliate.Days{}, false
	}
	return affiliate.Days{First: day, Last: affiliate.DayOf(first.AddDate(0, 1, -1), time.UTC)}, true
}

var compareParam = param{name: "compare", most: maxText,
	set: func(q *Query, value string, basis Basis) error {
		if taken := basis.Compares(); !slices.Contains(taken, Compare(value)) {
			return invalid("compare", value, "is none of "+Join(taken))
		}
		q.Compare = Compare(value)
		return nil
	},
	text: func(q *Query) string {
		if q.Compare == cmp.Or(q.UsualCompare, CompareNone) {
			return ""
		}
		return string(q.Compare)
	}}

// filter returns a parameter that leaves records out. read returns the field's content for
// a value, or the problem with the value.
func filter[S ~string](name string, most int, field func(*Query) *S, read func(value string, basis Basis) (S, string)) param {
	return param{name: name, most: most,
		set: func(q *Query, value string, basis Basis) error {
			kept, problem := read(value, basis)
			if problem != "" {
				return invalid(name, value, problem)
			}
			*field(q) = kept
			return nil
		},
		text:  func(q *Query) string { return string(*field(q)) },
		reset: func(q *Query) { *field(q) = "" },
	}
}

// notFilter returns a parameter that is read like a filter but leaves no records out.
func notFilter(p param) param {
	p.reset = nil
	return p
}

func number(name string, limit int, usual func(*Query) int, field func(*Query) *int) param {
	return param{name: name, most: maxText,
		set: func(q *Query, value string, _ Basis) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > limit {
				return invalid(name, value, fmt.Sprintf("is not a whole number from 1 to %d", limit))
			}
			*field(q) = n
			return nil
		},
		text: func(q *Query) string {
			if *field(q) == usual(q) {
				return ""
			}
			return strconv.Itoa(*field(q))
		}}
}

// readSymbol takes a pair by the exchange's symbol, or as pages write it: BTC/USDT.
func readSymbol(value string, _ Basis) (string, string) { return affiliate.SymbolOf(value), "" }

func anyText[S ~string](value string, _ Basis) (S, string) { return S(value), "" }

func oneOf(taken func(Basis) []string) func(string, Basis) (string, string) {
	return func(value string, basis Basis) (string, string) {
		if list := taken(basis); !slices.Contains(list, value) {
			return "", noneOf(list)
		}
		return value, ""
	}
}

// noneOf returns the problem of a value that the report does not accept.
func noneOf(taken []string) string {
	if len(taken) == 0 {
		return "cannot be used here: this report has no such choice"
	}
	return "is none of " + strings.Join(taken, ", ")
}

func readProducts(value string, _ Basis) (affiliate.Product, string) {
	products := affiliate.Choices(affiliate.Product(strings.ToUpper(value)))
	if len(products) == 0 || slices.ContainsFunc(products, func(p affiliate.Product) bool { return !p.Known() }) {
		return "", "is none of " + Join(affiliate.Products())
	}
	return affiliate.Choose(products), ""
}

// readCoins accepts any name: the exchange has coins like wxt.e and 币安人生.
func readCoins(value string, _ Basis) (affiliate.Coin, string) {
	if len(affiliate.Choices(affiliate.Coin(value))) == 0 {
		return "", "is not the code of a coin, such as USDT"
	}
	return affiliate.Coin(value), ""
}

func readUID(value string, _ Basis) (affiliate.UID, string) {
	if !affiliate.IsUID(value) {
		return "", "is not a UID, such as 4667776811"
	}
	return affiliate.UID(value), ""
}

func readSource(value string, _ Basis) (affiliate.Source, string) {
	if !slices.Contains(affiliate.Sources(), affiliate.Source(value)) {
		return "", "is none of " + Join(affiliate.Sources())
	}
	return affiliate.Source(value), ""
}

// setColumns keeps the chosen columns in the order of the report.
func setColumns(q *Query, value string, basis Basis) error {
	chosen := map[string]bool{}
	for _, name := range strings.Split(value, ",") {
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(basis.Columns, name) {
			return invalid("cols", name, noneOf(basis.Columns))
		}
		chosen[name] = true
	}
	q.Cols = strings.Join(slices.DeleteFunc(slices.Clone(basis.Columns), func(name string) bool { return !chosen[name] }), ",")
	return nil
}

func setSort(q *Query, value string, basis Basis) error {
	field, descending := strings.CutPrefix(value, "-")
	switch {
	case len(basis.Sorts) == 0:
		return invalid("sort", value, "cannot be used here: what stands at this address has one order only")
	case !slices.Contains(basis.Sorts, field):
		return invalid("sort", value, "cannot be sorted by; the columns are "+strings.Join(basis.Sorts, ", "))
	}
	q.Sort = Sort{field, descending}
	return nil
}

// setAsOf reads an instant. A day means its end. Nothing is known yet about the future, so an
// instant after now means now.
func setAsOf(q *Query, value string, basis Basis) error {
	at, ok := readInstant(value, true, q.Zone)
	switch {
	case !ok:
		return invalid("as_of", value, "is neither a time such as 2026-09-07T12:00:00Z nor a day such as 2026-09-07")
	case at.After(basis.Now):
		at = time.Time{}
	}
	q.AsOf = at
	return nil
}

// takes rejects a parameter that the report does not accept. It is not ignored, because the
// user would believe that the page is filtered.
func (b Basis) takes(name, value string) error {
	known, taken := slices.Contains(Params, name), len(b.Taken) == 0 || slices.Contains(b.Taken, name)
	switch {
	case !known && len(b.Taken) == 0:
		return invalid(name, value, "there is no such parameter; the parameters are "+strings.Join(Params, ", "))
	case !known:
		return invalid(name, value, "there is no such parameter; this page takes "+strings.Join(b.Taken, ", "))
	case !taken && strings.TrimSpace(value) != "":
		return invalid(name, value, "cannot be used here; this page takes "+strings.Join(b.Taken, ", "))
	}
	return nil
}

func (q *Query) set(name, value string, basis Basis) error {
	p := params[slices.Index(Params, name)]
	if !plainUpTo(p.most, value) {
		return invalid(name, value, fmt.Sprintf("is longer than %d characters or has control characters", p.most))
	}
	return p.set(q, value, basis)
}

func plainUpTo(most int, value string) bool {
	return utf8.ValidString(value) && utf8.RuneCountInString(value) <= most && !strings.ContainsFunc(value, unicode.IsControl)
}

// Values returns the query string again, without defaults.
func (q Query) Values() url.Values {
	v := url.Values{}
	for _, p := range params {
		if text := p.text(&q); text != "" {
			v.Set(p.name, text)
		}
	}
	return v
}

// Filters returns the parameters that narrow the result, except its days.
func (q Query) Filters() url.Values {
	v := q.Values()
	for _, p := range params {
		if p.reset == nil {
			v.Del(p.name)
		}
	}
	return v
}

// Filtered reports whether any parameter except the days narrows the result.
func (q Query) Filtered() bool {
	return slices.ContainsFunc(params, func(p param) bool { return p.reset != nil && p.text(&q) != "" })
}

// WithoutFilters returns the same query over all records of the days.
func (q Query) WithoutFilters() Query {
	for _, p := range params {
		if p.reset != nil {
			p.reset(&q)
		}
	}
	q.Page = 1
	return q
}

// Refuse returns a *ParamError for the first of the parameters that the query has.
func (q Query) Refuse(foreign []string, problem string) error {
	values := q.Values()
	for _, name := range foreign {
		if values.Has(name) {
			return invalid(name, values.Get(name), problem)
		}
	}
	return nil
}

// Join lists names with commas.
func Join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}

// KYCUnknown selects the invitees whose KYC the exchange did not report.
const KYCUnknown = "unknown"

// KYCChoices lists the values of Query.KYC.
func KYCChoices() []string { return []string{"true", "false", KYCUnknown} }
