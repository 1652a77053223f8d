package query_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
)

var basis = query.Basis{
	Now: reporttest.Noon, Zone: time.UTC, First: affiliate.NewDay(2025, time.September, 16),
	AcceptedParams: query.AcceptedParams{Sorts: commissions.Sorts, Order: query.Sort{Field: "time", Descending: true},
		By: []string{"product", "source"}, Metrics: []string{"traders", "commission"}, States: []string{"active", "silent"}, Tags: true, Own: []query.Own{{Name: "change", Choices: []string{"new", "late"}, Filters: true}}, Since: true,
		Columns: []string{"code", "kyc", "fee"}},
}

func TestParseQueryDefaults(t *testing.T) {
	want := query.Query{
		Range: query.Last30, Days: reporttest.Days(-29, 0), Compare: query.CompareNone, Sort: basis.Order, Page: 1, Per: query.DefaultPer,
		By: "product", Metric: "traders", Zone: time.UTC, Today: reporttest.Today,
	}
	empty := url.Values{}
	for _, name := range query.Params {
		empty.Set(name, " ") // as forms send an empty field
	}
	for _, values := range []url.Values{nil, empty} {
		if q, err := query.Parse(values, basis); err != nil || q != want {
			t.Errorf("%v means %+v, %v; want %+v", values, q, err, want)
		}
	}
}

func TestParseQueryAccepts(t *testing.T) {
	instant := time.Date(2026, 9, 7, 10, 0, 0, 500_000_000, time.UTC)
	for text, want := range map[string]func(query.Query) bool{
		"compare=weekday":                          func(q query.Query) bool { return q.Compare == query.CompareWeekday },
		"account=main":                             func(q query.Query) bool { return q.Account == "main" },
		"product=futures":                          func(q query.Query) bool { return q.Product == affiliate.Futures },
		"coin=USDT":                                func(q query.Query) bool { return q.Coin == "USDT" },
		"uid=4667776811":                           func(q query.Query) bool { return q.UID == "4667776811" },
		"symbol=+cmt_btcusdt%20":                   func(q query.Query) bool { return q.Symbol == "cmt_btcusdt" },
		"source=sub":                               func(q query.Query) bool { return q.Source == affiliate.SubAgent },
		"code=%F0%9F%A6%9C":                        func(q query.Query) bool { return q.Code == "🦜" },
		"q=%3C/script%3E":                          func(q query.Query) bool { return q.Text == "</script>" },
		"q=%E2%80%AE%D7%A9%D7%9C%D7%95%D7%9D":      func(q query.Query) bool { return q.Text == "\u202eשלום" },
		"q=" + strings.Repeat("%F0%9F%A6%9C", 100): func(q query.Query) bool { return utf8.RuneCountInString(q.Text) == 100 },
		"sort=-commission":                         func(q query.Query) bool { return q.Sort == query.Sort{Field: "commission", Descending: true} },
		"by=source":                                func(q query.Query) bool { return q.By == "source" },
		"metric=commission":                        func(q query.Query) bool { return q.Metric == "commission" && !q.Filtered() },
		"state=silent":                             func(q query.Query) bool { return q.State == "silent" && q.Filtered() },
		"tag=big+fish":                             func(q query.Query) bool { return q.Tag == "big fish" && q.Filtered() },
		"cols=fee,code": func(q query.Query) bool {
			return q.Cols == "code,fee" && q.Shows("fee", false) && !q.Shows("kyc", true)
		},
		"cols=&cols=fee":                      func(q query.Query) bool { return q.Cols == "fee" },
		"cols=":                               func(q query.Query) bool { return q.Shows("kyc", true) && !q.Shows("kyc", false) },
		"sort=uid":                            func(q query.Query) bool { return q.Sort == query.Sort{Field: "uid"} },
		"page=1000000000&per=500":             func(q query.Query) bool { return q.Page == 1_000_000_000 && q.Per == 500 },
		"as_of=2026-09-07T10:00:00.5Z":        func(q query.Query) bool { return q.AsOf == instant },
		"as_of=2026-09-07T12:00:00.5%2B02:00": func(q query.Query) bool { return q.AsOf == instant },
		"since=2026-09-07&until=2026-09-07": func(q query.Query) bool {
			return q.Since == time.Date(2026, 9, 7, 0, 0, 0, 0, time.UTC) && q.Until == time.Date(2026, 9, 7, 23, 59, 59, 999_000_000, time.UTC)
		},
		"since=2026-09-07T12:00:00.5%2B02:00":           func(q query.Query) bool { return q.Since == instant && !q.Filtered() },
		"since=2026-09-07T10:00&until=2026-09-07T10:00": func(q query.Query) bool { return q.Since == q.Until },
		"until=2026-12-31":                              func(q query.Query) bool { return q.Until.After(reporttest.Noon) },
		"change=late":                                   func(q query.Query) bool { return q.Own("change") == "late" && q.Filtered() },
		"as_of=2026-09-07": func(q query.Query) bool {
			day, end := q.AsOfDay()
			return q.AsOf == time.Date(2026, 9, 7, 23, 59, 59, 999_000_000, time.UTC) && end && day == reporttest.Today-8 && q.Values().Get("as_of") == "2026-09-07"
		},
		"as_of=2026-09-07T10:00":       func(q query.Query) bool { return q.AsOf == instant.Truncate(time.Second) },
		"as_of=2026-09-07&as_of=10:00": func(q query.Query) bool { return q.AsOf == instant.Truncate(time.Second) },
		"as_of=2026-09-07&as_of=":      func(q query.Query) bool { _, end := q.AsOfDay(); return end },
		"as_of=2026-09-15":             func(q query.Query) bool { return !q.Past() }, // the day is not over
		"as_of=2027-09-15T10:00:00Z":   func(q query.Query) bool { return !q.Past() && q.Values().Get("as_of") == "" },
		"from=2026-09-01&to=2026-09-07": func(q query.Query) bool {
			return q.Range == query.Custom && q.Days == affiliate.Days{First: reporttest.Today - 14, Last: reporttest.Today - 8}
		},
		"from=2026-09-01": func(q query.Query) bool {
			return q.Days == affiliate.Days{First: reporttest.Today - 14, Last: reporttest.Today}
		},
		"to=2026-09-01": func(q query.Query) bool {
			return q.Days == affiliate.Days{First: basis.First, Last: reporttest.Today - 14}
		},
		"range=&from=2026-09-01&to=": func(q query.Query) bool {
			return q.Days == affiliate.Days{First: reporttest.Today - 14, Last: reporttest.Today}
		},
		"from=+2026-09-01+&to=2026-09-01%0A": func(q query.Query) bool {
			return q.Days == affiliate.Days{First: reporttest.Today - 14, Last: reporttest.Today - 14}
		},
	} {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := query.Parse(values, basis); err != nil || !want(q) {
			t.Errorf("%s means %+v, %v", text, q, err)
		}
	}
}

// Each error names the parameter, its value and the expected values.
func TestParseQueryRefuses(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, c := range []struct {
		values      url.Values
		param, says string
	}{
		{url.Values{"colour": {"red"}}, "colour", "the parameters are range, from"},
		{url.Values{"Range": {"7d"}}, "Range", "no such parameter"},
		{url.Values{long: {long}}, long, "no such parameter"},
		{url.Values{"\n\x1b[31m": {"x"}}, "\n\x1b[31m", "no such parameter"},
		{url.Values{"uid": {"1", "2"}}, "uid", "more than once"},
		{url.Values{"uid": {"", ""}}, "uid", "more than once"},
		{url.Values{"range": {"8d"}}, "range", "today, yesterday, 7d"},
		{url.Values{"range": {"7D"}}, "range", "none of"},
		{url.Values{"range": {"7d"}, "from": {"2026-09-01"}}, "range", "together with from and to"},
		{url.Values{"range": {"7d"}, "to": {"2026-09-01"}}, "range", "together with from and to"},
		{url.Values{"from": {"2026-09-02"}, "to": {"2026-09-01"}}, "from", "lies after to=2026-09-01"},
		{url.Values{"from": {"2026-09-16"}}, "from", "lies after today, 2026-09-15"},
		{url.Values{"to": {"2025-09-15"}}, "to", "lies before the first day there is anything about, 2025-09-16"},
		{url.Values{"from": {"yesterday"}}, "from", "2026-09-07"},
		{url.Values{"from": {"2026-02-29"}}, "from", "2026-09-07"},
		{url.Values{"to": {"01.09.2026"}}, "to", "2026-09-07"},
		{url.Values{"from": {"1999-12-31"}}, "from", "2026-09-07"},
		{url.Values{"to": {"9999-01-01"}}, "to", "2026-09-07"},
		{url.Values{"compare": {"decade"}}, "compare", "none, previous, weekday, month, year"},
		{url.Values{"product": {"OPTIONS"}}, "product", "SPOT, FUTURES"},
		{url.Values{"coin": {"US\x00DT"}}, "coin", "control characters"},
		{url.Values{"coin": {strings.Repeat("A", 1001)}}, "coin", "longer than 1000"},
		{url.Values{"uid": {"46677'--"}}, "uid", "such as 4667776811"},
		{url.Values{"uid": {"</script>"}}, "uid", "such as 4667776811"},
		{url.Values{"source": {"indirect"}}, "source", "direct, sub"},
		{url.Values{"sort": {"time desc"}}, "sort", "the columns are time, uid"},
		{url.Values{"sort": {"--time"}}, "sort", "the columns are"},
		{url.Values{"sort": {"id"}}, "sort", "the columns are"},
		{url.Values{"by": {"colour"}}, "by", "none of product, source"},
		{url.Values{"metric": {"colour"}}, "metric", "none of traders, commission"},
		{url.Values{"state": {"asleep"}}, "state", "none of active, silent"},
		{url.Values{"tag": {"a\nb"}}, "tag", "control characters"},
		{url.Values{"cols": {"code,password"}}, "cols", "none of code, kyc, fee"},
		{url.Values{"page": {"0"}}, "page", "from 1 to 1000000000"},
		{url.Values{"page": {"1000000001"}}, "page", "from 1 to 1000000000"},
		{url.Values{"page": {"99999999999999999999"}}, "page", "from 1 to 1000000000"},
		{url.Values{"page": {"1.5"}}, "page", "whole number"},
		{url.Values{"page": {"-1"}}, "page", "whole number"},
		{url.Values{"per": {"501"}}, "per", "from 1 to 500"},
		{url.Values{"per": {"all"}}, "per", "from 1 to 500"},
		{url.Values{"as_of": {"2026-02-29"}}, "as_of", "nor a day such as 2026-09-07"},
		{url.Values{"as_of": {"2026-09-07 12:00"}}, "as_of", "2026-09-07T12:00:00Z"},
		{url.Values{"as_of": {"2026-09-07", "noon"}}, "as_of", "2026-09-07T12:00:00Z"},
		{url.Values{"as_of": {"", "12:00"}}, "as_of", "more than once"},
		{url.Values{"as_of": {"2026-09-07", "12:00", "13:00"}}, "as_of", "more than once"},
		{url.Values{"as_of": {"1970-01-01T00:00:00Z"}}, "as_of", "2026-09-07T12:00:00Z"}, // 0 would mean unknown
		{url.Values{"as_of": {"0001-01-01T00:00:00Z"}}, "as_of", "2026-09-07T12:00:00Z"},
		{url.Values{"as_of": {"9999-12-31T00:00:00Z"}}, "as_of", "2026-09-07T12:00:00Z"},
		{url.Values{"since": {"yesterday"}}, "since", "a day such as 2026-09-07"},
		{url.Values{"since": {"2026-09-15T12:00:00.001Z"}}, "since", "lies in the future; it is now 2026-09-15T12:00:00Z"},
		{url.Values{"since": {"2026-09-16"}}, "since", "lies in the future"},
		{url.Values{"since": {"2026-09-08"}, "until": {"2026-09-07"}}, "until", "lies before since=2026-09-08"},
		{url.Values{"since": {"1970-01-01"}}, "since", "2026-09-07"},
		{url.Values{"until": {"9999-12-31"}}, "until", "2026-09-07"},
		{url.Values{"change": {"colour"}}, "change", "none of new, late"},
		{url.Values{"q": {long}}, "q", "longer than 100 characters"},
		{url.Values{"q": {strings.Repeat("🦜", 101)}}, "q", "longer than 100 characters"},
		{url.Values{"symbol": {"a\x00b"}}, "symbol", "control characters"},
		{url.Values{"code": {"a\r\nb"}}, "code", "control characters"},
		{url.Values{"account": {"\x7f"}}, "account", "control characters"},
		{url.Values{"q": {"\xff"}}, "q", "control characters"},
	} {
		_, err := query.Parse(c.values, basis)
		var wrong *query.ParamError
		if !errors.As(err, &wrong) || wrong.Param != c.param || !strings.Contains(wrong.Problem, c.says) {
			t.Errorf("%.80v: %v; want %.40q and %q", c.values, err, c.param, c.says)
			continue
		}
		if text := err.Error(); len(text) > 700 || strings.ContainsAny(text, "\x00\x1b\r\n") || !utf8.ValidString(text) {
			t.Errorf("%.80v: the error cannot be shown: %.200q", c.values, text)
		}
	}
}

// A page without orders refuses a sort column; the same holds for other choices.
func TestParseQueryWithoutChoices(t *testing.T) {
	for name, value := range map[string]string{"sort": "time", "by": "product", "metric": "traders", "state": "active", "tag": "vip", "cols": "code", "change": "late", "since": "2026-09-07", "until": "2026-09-07"} {
		if _, err := query.Parse(url.Values{name: {value}}, query.Basis{Now: reporttest.Noon, Zone: time.UTC}); err == nil {
			t.Errorf("%s was accepted although the page has no such choice", name)
		}
	}
}

// anyQuery draws a valid query string.
func anyQuery(t *rapid.T) url.Values {
	values := url.Values{}
	maybe := func(name string, value *rapid.Generator[string]) {
		if rapid.Bool().Draw(t, "has "+name) {
			values.Set(name, value.Draw(t, name))
		}
	}
	day := rapid.Custom(func(t *rapid.T) string {
		return (reporttest.Today - affiliate.Day(rapid.IntRange(0, 300).Draw(t, "back"))).String()
	})
	free := rapid.StringN(0, 100, -1).Filter(func(s string) bool {
		return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
	})
	if rapid.Bool().Draw(t, "relative") {
		values.Set("range", string(rapid.SampledFrom(query.RangeNames()).Draw(t, "range")))
	} else {
		from, to := day.Draw(t, "from"), day.Draw(t, "to")
		values.Set("from", min(from, to))
		values.Set("to", max(from, to))
	}
	maybe("compare", rapid.SampledFrom([]string{"none", "previous", "weekday", "year"}))
	maybe("account", free)
	maybe("product", rapid.SampledFrom([]string{"SPOT", "futures"}))
	maybe("coin", rapid.StringMatching(`[A-Za-z0-9._币₮-]{1,20}`))
	maybe("uid", rapid.StringMatching(`[0-9]{1,32}`))
	maybe("symbol", free)
	maybe("source", rapid.SampledFrom([]string{"direct", "sub"}))
	maybe("code", free)
	maybe("q", free)
	maybe("by", rapid.SampledFrom(basis.By))
	maybe("metric", rapid.SampledFrom(basis.Metrics))
	maybe("state", rapid.SampledFrom(basis.States))
	maybe("tag", free)
	maybe("cols", rapid.SampledFrom([]string{"fee", "code,fee", "fee, code", "kyc,code,fee"}))
	maybe("sort", rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "-"}).Draw(t, "direction") + rapid.SampledFrom(commissions.Sorts).Draw(t, "column")
	}))
	maybe("page", rapid.SampledFrom([]string{"1", "2", "1000000000"}))
	maybe("per", rapid.SampledFrom([]string{"1", "50", "500"}))
	maybe("as_of", rapid.Custom(func(t *rapid.T) string {
		return reporttest.Noon.Add(-time.Duration(rapid.Int64Range(0, int64(300*24*time.Hour)).Draw(t, "age"))).Format(time.RFC3339Nano)
	}))
	if rapid.Bool().Draw(t, "has instants") {
		since := rapid.Int64Range(0, 300*24*3600).Draw(t, "since")
		values.Set("since", reporttest.Noon.Add(-time.Duration(since)*time.Second).Format(time.RFC3339Nano))
		values.Set("until", reporttest.Noon.Add(-time.Duration(rapid.Int64Range(0, since).Draw(t, "until"))*time.Second).Format(time.RFC3339Nano))
		if rapid.Bool().Draw(t, "days") {
			values.Set("since", values.Get("since")[:10])
			values.Set("until", values.Get("until")[:10])
		}
	}
	maybe("change", rapid.SampledFrom([]string{"new", "late"}))
	return values
}

func TestValuesAreTheQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		basis := basis
		basis.Usual = rapid.SampledFrom(append(query.RangeNames(), "")).Draw(t, "usual range")
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "America/Sao_Paulo", "Australia/Lord_Howe"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		basis.Zone = zone
		q, err := query.Parse(anyQuery(t), basis)
		if err != nil {
			t.Fatal(err)
		}
		text := q.Values().Encode() // through the encoded address, not only through the map
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := query.Parse(values, basis); err != nil || again != q {
			t.Fatalf("%s\nmeans %+v, %v\nwant  %+v", text, again, err, q)
		}
	})
}

func TestWithoutFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, err := query.Parse(anyQuery(t), basis)
		if err != nil {
			t.Fatal(err)
		}
		bare := q.WithoutFilters()
		if bare.Filtered() || bare.Page != 1 || bare.Days != q.Days || bare.AsOf != q.AsOf || bare.Compare != q.Compare || bare.Sort != q.Sort {
			t.Fatalf("%+v without filters is %+v", q, bare)
		}
		values := bare.Values()
		for _, name := range []string{"account", "product", "coin", "uid", "symbol", "source", "code", "q", "state", "tag", "page"} {
			if values.Has(name) {
				t.Fatalf("%s is left: %v", name, values)
			}
		}
	})
}

// A page has a line for each day, so the length of a range is limited.
func TestLongestRange(t *testing.T) {
	for text, good := range map[string]bool{"from=2016-09-10&to=2026-09-16": true, "from=2000-01-01&to=2100-01-01": false} {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = query.Parse(values, basis)
		if (err == nil) != good || err != nil && !strings.Contains(err.Error(), "at most 3660 days") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
