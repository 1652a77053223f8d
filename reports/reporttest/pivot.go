package reporttest

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"

	"rebatedesk/store/audit"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/query"
	"rebatedesk/store/people"
)

// TagSome gives some invitees one tag and one of them two.
func (d *Fixture) TagSome() {
	d.Helper()
	for uid, tags := range map[affiliate.UID][]string{"4667776801": {"vip", "berlin"}, "4667776802": {"vip"}} {
		for _, tag := range tags {
			if err := people.AddTag(d.Context(), d.DB, "main", uid, tag, audit.Line{Actor: "ann"}); err != nil {
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

func (d *Fixture) CheckPivot(t failing, asked url.Values) {
	t.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.QueryOf(asked.Encode(), pivot.Accepted), pivot.Make)
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
		if !c.Known && want.Sign() != 0 || c.Known && Rat(d, c.Value.String()).Cmp(want) != 0 {
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
func (d *Fixture) checkOverview(t failing, asked url.Values, view pivot.Report) {
	t.Helper()
	same := url.Values{}
	for name, value := range asked {
		if !slices.Contains([]string{"by", "across", "metric", "show", "per"}, name) {
			same[name] = value
		}
	}
	whole, err := reports.Ask(d.Context(), d.Service, d.QueryOf(same.Encode(), query.AcceptedParams{}), overview.Make)
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

func (d *Fixture) pivotTruth(asked url.Values, view pivot.Report) pivotSums {
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
		list, err := reports.Ask(d.Context(), d.Service, d.Ask(filter.Encode()), commissions.Make)
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

func (r truthRecord) value(d *Fixture, figure string) *big.Rat {
	switch figure {
	case "commission":
		return Rat(d, string(r.Commission.Commission))
	case "fees":
		return Rat(d, string(r.Fee))
	case "volume":
		return new(big.Rat).Add(Rat(d, string(r.TakerAmount)), Rat(d, string(r.MakerAmount)))
	}
	return big.NewRat(1, 1)
}

// keys returns what a record counts as on an axis.
func (r truthRecord) keys(d *Fixture, axis string) []string {
	at := r.DealTime.Time().In(d.Zone)
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
func (d *Fixture) tags(account affiliate.Account, uid affiliate.UID) ([]string, error) {
	r, err := d.DB.Read(d.Context())
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

// Parse reads a query string, which may be wrong.
func (d *Fixture) Parse(text string, accepted query.AcceptedParams) (query.Query, error) {
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
