package reports_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/audit"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/query"
	"rebatedesk/store/people"
)

// Every table of two axes is the sum of the records, whatever the filters: cells, rows, columns
// and the grand total, which is that of the overview. The sums are made here from the records
// of the page, as fractions.
func TestPivotIsTheSumOfTheRecords(t *testing.T) {
	d := newFixture(t, "Asia/Kathmandu")
	d.fillVaried()
	d.tagSome()
	axes := pivot.Axes()
	check := func(t *rapid.T) {
		by := rapid.SampledFrom(axes).Draw(t, "by")
		across := rapid.SampledFrom(slices.DeleteFunc(slices.Clone(axes), func(a string) bool { return a == by })).Draw(t, "across")
		asked := url.Values{"range": {"all"}, "per": {"500"}, "by": {by}, "across": {across}, "metric": {rapid.SampledFrom(pivot.Accepted.Metrics).Draw(t, "metric")}}
		for _, choice := range [][]string{
			{"range", "all", "all", "30d", "7d", "mtd"}, {"product", "", "", "SPOT"}, {"coin", "", "", "BTC", "USDT"}, {"source", "", "", "sub"},
			{"code", "", "", "spring"}, {"uid", "", "", "", "4667776801"}, {"symbol", "", "", "", "btcusdt"}, {"account", "", "", "main"}, {"q", "", "", "", "", "é"},
			{"as_of", "", "", "", noon.Add(90 * time.Minute).UTC().Format(time.RFC3339)},
		} {
			if value := rapid.SampledFrom(choice[1:]).Draw(t, choice[0]); value != "" {
				asked.Set(choice[0], value)
			}
		}
		d.checkPivot(t, asked)
	}
	rapid.Check(t, check)
	// A few that a random choice could miss: pairs of people, with and without a filter.
	for _, text := range []string{"by=invitee&across=symbol", "by=tag&across=invitee", "by=invitee&across=tag", "by=code&across=symbol&symbol=BTCUSDT", "by=symbol&across=month&uid=4667776801", "by=week&across=month", "by=code&across=day"} {
		values, err := url.ParseQuery("range=all&per=500&metric=commission&" + text)
		if err != nil {
			t.Fatal(err)
		}
		d.checkPivot(t, values)
	}
}

// tagSome gives some invitees one tag and one of them two.
func (d *fixture) tagSome() {
	d.Helper()
	for uid, tags := range map[affiliate.UID][]string{"4667776801": {"vip", "berlin"}, "4667776802": {"vip"}} {
		for _, tag := range tags {
			if err := people.AddTag(d.Context(), d.store, "main", uid, tag, audit.Line{Actor: "ann"}); err != nil {
				d.Fatal(err)
			}
		}
	}
}

// failing is what a check needs of a test or of a draw of one.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

func (d *fixture) checkPivot(t failing, asked url.Values) {
	t.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.queryOf(asked.Encode(), pivot.Accepted), pivot.Make)
	if err != nil {
		t.Fatalf("%s: %v", asked.Encode(), err)
	}
	truth := d.pivotTruth(asked, view)
	if view.Empty != "" {
		if len(truth.cells) > 0 {
			t.Fatalf("%s: empty (%s), but there are records", asked.Encode(), view.Empty)
		}
		return
	}
	same := func(what string, c pivot.TableCell, want *big.Rat) {
		t.Helper()
		if want == nil {
			want = new(big.Rat)
		}
		if !c.Known && want.Sign() != 0 || c.Known && rat(d, c.Value.String()).Cmp(want) != 0 {
			t.Fatalf("%s: %s is %s (known %t), want %s", asked.Encode(), what, c.Value, c.Known, want.RatString())
		}
	}
	names := map[string]bool{}
	for _, row := range view.Rows {
		name := truthKey(row.TableHead)
		names[name] = true
		rest := new(big.Rat)
		if sum := truth.rows[name]; sum != nil {
			rest.Set(sum)
		}
		for i, c := range row.Cells {
			if i == len(view.Columns) {
				if !view.Tagged() {
					same("others of "+name, c, rest)
				}
				continue
			}
			cell := truth.cells[name+" × "+truthKey(view.Columns[i])]
			same(name+" × "+truthKey(view.Columns[i]), c, cell)
			if cell != nil {
				rest.Sub(rest, cell)
			}
		}
		if row.Total.Known {
			same("total of "+name, row.Total, truth.rows[name])
		}
	}
	for name, sum := range truth.rows {
		if !names[name] && sum.Sign() != 0 {
			t.Fatalf("%s: there is no row %q", asked.Encode(), name)
		}
	}
	for i, head := range view.Columns {
		if c := view.Total.Cells[i]; c.Known {
			same("column "+truthKey(head), c, truth.columns[truthKey(head)])
		}
	}
	if view.Total.Total.Known {
		same("grand total", view.Total.Total, truth.total)
	}
	d.checkOverview(t, asked, view)
}

// checkOverview compares the grand total with the figures of the overview.
func (d *fixture) checkOverview(t failing, asked url.Values, view pivot.Report) {
	t.Helper()
	same := url.Values{}
	for name, value := range asked {
		if !slices.Contains([]string{"by", "across", "metric", "show", "per"}, name) {
			same[name] = value
		}
	}
	whole, err := reports.Ask(d.Context(), d.Service, d.queryOf(same.Encode(), query.AcceptedParams{}), overview.Make)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !view.Total.Total.Known || view.Figure == "volume" || view.Figure == "records" {
		return
	}
	for _, card := range whole.Cards {
		if card.Coin == view.Coin {
			want := card.Commission.Amount.Value
			if view.Figure == "fees" {
				want = card.Fee.Amount.Value
			}
			if !view.Total.Total.Value.Equal(want) {
				t.Fatalf("%s: the grand total is %s, that of the overview %s", asked.Encode(), view.Total.Total.Value, want)
			}
		}
	}
}

// pivotSums are sums of records by what the axes of a table are.
type pivotSums struct {
	cells, rows, columns map[string]*big.Rat
	total                *big.Rat
}

func (d *fixture) pivotTruth(asked url.Values, view pivot.Report) pivotSums {
	d.Helper()
	truth := pivotSums{map[string]*big.Rat{}, map[string]*big.Rat{}, map[string]*big.Rat{}, new(big.Rat)}
	filter := url.Values{}
	for name, value := range asked {
		if !slices.Contains([]string{"by", "across", "metric", "show"}, name) {
			filter[name] = value
		}
	}
	for page, pages := 1, 1; page <= pages; page++ {
		filter.Set("page", fmt.Sprint(page))
		list, err := reports.Ask(d.Context(), d.Service, d.ask(filter.Encode()), commissions.Make)
		if err != nil {
			d.Fatal(err)
		}
		pages = list.Pages
		for _, row := range list.Rows {
			if view.Coin != "" && row.Coin != view.Coin {
				continue
			}
			record := truthRecord{row.Account, row.InviteCode, row.Commission}
			value := record.value(d, string(view.Figure))
			add := func(to map[string]*big.Rat, key string) {
				if to[key] == nil {
					to[key] = new(big.Rat)
				}
				to[key].Add(to[key], value)
			}
			truth.total.Add(truth.total, value)
			rows, columns := record.keys(d, string(view.By)), record.keys(d, string(view.Across))
			for _, r := range rows {
				add(truth.rows, r)
				for _, c := range columns {
					add(truth.cells, r+" × "+c)
				}
			}
			for _, c := range columns {
				add(truth.columns, c)
			}
		}
	}
	return truth
}

type truthRecord struct {
	account affiliate.Account
	code    string
	affiliate.Commission
}

func (r truthRecord) value(d *fixture, figure string) *big.Rat {
	switch figure {
	case "commission":
		return rat(d, string(r.Commission.Commission))
	case "fees":
		return rat(d, string(r.Fee))
	case "volume":
		return new(big.Rat).Add(rat(d, string(r.TakerAmount)), rat(d, string(r.MakerAmount)))
	}
	return big.NewRat(1, 1)
}

// keys returns what a record counts as on an axis.
func (r truthRecord) keys(d *fixture, axis string) []string {
	at := r.DealTime.Time().In(d.zone)
	switch axis {
	case "day":
		return []string{at.Format("2006-01-02")}
	case "week":
		return []string{at.AddDate(0, 0, -(int(at.Weekday())+6)%7).Format("2006-01-02")}
	case "month":
		return []string{at.Format("2006-01") + "-01"}
	case "product":
		return []string{string(r.Product)}
	case "symbol":
		return []string{r.Symbol}
	case "coin":
		return []string{string(r.Coin)}
	case "source":
		return []string{string(r.Source)}
	case "code":
		return []string{r.code}
	case "invitee":
		return []string{string(r.UID) + " of " + string(r.account)}
	case "account":
		return []string{string(r.account)}
	}
	tags, err := d.tags(r.account, r.UID)
	if err != nil {
		d.Fatal(err)
	}
	if len(tags) == 0 {
		return []string{""}
	}
	return tags
}

// tags lists the tags of an invitee.
func (d *fixture) tags(account affiliate.Account, uid affiliate.UID) ([]string, error) {
	r, err := d.store.Read(d.Context())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return people.TagsOf(d.Context(), r, uid)
}

func truthKey(h pivot.TableHead) string {
	switch {
	case h.Day != 0:
		return h.Day.String()
	case h.Account != "":
		return h.Name + " of " + string(h.Account)
	}
	return h.Name
}

// A change is the difference of two tables: the table of the range less that of the compared
// period, by name; and shares add up to the whole.
func TestPivotChangeAndShares(t *testing.T) {
	d := newFixture(t, "UTC")
	d.want("main", today-100)
	var rows []affiliate.Commission
	for day := -100; day <= 0; day++ {
		for uid := range 20 {
			rows = append(rows, trade(today+affiliate.Day(day), spot, uid, affiliate.Number(fmt.Sprintf("%d.%02d", (day*day+uid*7)%13, uid))))
		}
	}
	d.read("main", spot, days(-100, 0), rows...)
	d.read("main", futures, days(-100, 0))
	ask := func(text string) pivot.Report {
		t.Helper()
		view, err := reports.Ask(t.Context(), d.Service, d.queryOf(text, pivot.Accepted), pivot.Make)
		if err != nil || view.Empty != "" {
			t.Fatalf("%s: %q, %v", text, view.Empty, err)
		}
		return view
	}
	change := ask("by=invitee&across=product&show=change&from=2026-09-01&to=2026-09-10&compare=previous")
	now, before := ask("by=invitee&across=product&from=2026-09-01&to=2026-09-10"), ask("by=invitee&across=product&from=2026-08-22&to=2026-08-31")
	of := func(view pivot.Report) map[string]string {
		values := map[string]string{}
		for _, row := range view.Rows {
			values[row.Name] = row.Total.Value.String()
		}
		return values
	}
	nows, befores := of(now), of(before)
	for _, row := range change.Rows {
		want := new(big.Rat).Sub(rat(t, nows[row.Name]), rat(t, befores[row.Name]))
		if rat(t, row.Total.Difference().String()).Cmp(want) != 0 || row.Total.Change.Kind == "unknown" {
			t.Errorf("%s changes by %s (%s), want %s", row.Name, row.Total.Difference(), row.Total.Change.Kind, want.RatString())
		}
	}
	if len(change.Rows) != 20 || change.RestN != 0 {
		t.Errorf("%d rows, %d further columns", len(change.Rows), change.RestN)
	}
	// Periods are compared by their place in the range; the last one takes what is left.
	months := ask("by=month&across=product&show=change&from=2026-08-01&to=2026-08-31&compare=month")
	july := ask("by=product&across=source&from=2026-07-01&to=2026-07-31")
	if got := months.Rows[0].Total.Before; !got.Equal(july.Total.Total.Value) {
		t.Errorf("August is compared with %s, July had %s", got, july.Total.Total.Value)
	}
	if unread := ask("by=month&across=product&show=change&from=2026-06-08&to=2026-06-20&compare=previous"); unread.Total.Total.Change.Kind != "unknown" {
		t.Errorf("a period that is not collected gives a change: %+v", unread.Total.Total.Change)
	}
	for _, show := range []string{"share", "row-share", "column-share"} {
		view := ask("by=source&across=month&range=90d&show=" + show)
		sum := new(big.Rat)
		switch show {
		case "column-share":
			for _, row := range view.Rows {
				sum.Add(sum, rat(t, row.Cells[0].Share.Percent.String()))
			}
		default:
			for _, c := range view.Rows[0].Cells {
				sum.Add(sum, rat(t, c.Share.Percent.String()))
			}
		}
		if off := sum.Sub(sum, big.NewRat(100, 1)); off.Abs(off).Cmp(big.NewRat(2, 10)) > 0 {
			t.Errorf("%s: shares add up to 100 plus %s", show, off.RatString())
		}
	}
	// Twelve columns stand apart, the others in one.
	wide := ask("by=product&across=invitee&from=2026-09-01&to=2026-09-10")
	if len(wide.Columns) != 12 || wide.RestN != 8 || len(wide.Rows[0].Cells) != 13 {
		t.Errorf("%d columns and %d others in %d cells", len(wide.Columns), wide.RestN, len(wide.Rows[0].Cells))
	}
	for _, text := range []string{"by=month&across=month", "by=nobody", "show=half", "page=2", "sort=time", "across=x"} {
		q, err := d.parse(text, pivot.Accepted)
		if err == nil {
			_, err = reports.Ask(t.Context(), d.Service, q, pivot.Make)
		}
		if _, ok := errors.AsType[*query.ParamError](err); !ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// parse reads a query string, which may be wrong.
func (d *fixture) parse(text string, accepted query.AcceptedParams) (query.Query, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return query.Query{}, err
	}
	basis, err := d.Basis(d.Context())
	if err != nil {
		return query.Query{}, err
	}
	basis.AcceptedParams = accepted
	return query.Parse(values, basis)
}

// A file has the rows, the order and the columns of the page, all of them, and names that
// cannot be formulas.
func TestPivotFiles(t *testing.T) {
	d := newFixture(t, "UTC")
	d.want("main", today-10)
	odd := trade(today-1, spot, 1, "1.5")
	odd.Symbol = `=cmd|"x",1`
	d.read("main", spot, days(-10, 0), odd, trade(today-1, spot, 2, "0.25"), trade(today-2, spot, 1, "2"))
	d.read("main", futures, days(-10, 0))
	q := d.queryOf("by=invitee&across=symbol&range=7d&per=1", pivot.Accepted)
	text, written := d.export(pivot.File, export.CSV, q)
	want := "invitee,account,coin,BTCUSDT,\"'=cmd|\"\"x\"\",1\",total\r\n4667776801,main,USDT,2,1.5,3.5\r\n4667776802,main,USDT,0.25,0,0.25\r\n"
	if text != want || written.Rows != 2 {
		t.Errorf("the file is\n%s\nwant\n%s", text, want)
	}
	content, _ := d.export(pivot.File, export.JSON, q)
	var object struct {
		By, Across, Metric, Show, Coin string
		Columns                        []struct{ Key string }
		Rows                           []struct {
			Key, Account string
			Cells        []*string
			Total        *string
		}
		Total struct{ Cells []*string }
	}
	if err := json.Unmarshal([]byte(content), &object); err != nil {
		t.Fatal(err)
	}
	if len(object.Rows) != 2 || *object.Rows[0].Total != "3.5" || object.Rows[0].Account != "main" || object.Coin != "USDT" || len(object.Columns) != 2 || *object.Total.Cells[0] != "2.25" {
		t.Errorf("the JSON is %s", content)
	}
	if book, _ := d.export(pivot.File, export.XLSX, q); !strings.HasPrefix(book, "PK") {
		t.Error("the workbook is none")
	}
}

// Two accounts can have one invitee, whose columns then name their account.
func TestPivotColumnsOfOneInvitee(t *testing.T) {
	d := newFixture(t, "UTC")
	for _, account := range []affiliate.Account{"main", "second"} {
		d.want(account, today-10)
		d.read(account, spot, days(-10, 0), trade(today-1, spot, 1, "1.5"))
		d.read(account, futures, days(-10, 0))
	}
	text, _ := d.export(pivot.File, export.CSV, d.queryOf("by=product&across=invitee&range=7d", pivot.Accepted))
	if want := "product,coin,main/4667776801,second/4667776801,total\r\nSPOT,USDT,1.5,1.5,3\r\n"; text != want {
		t.Errorf("the file is\n%s\nwant\n%s", text, want)
	}
}
