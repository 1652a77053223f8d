package invitecodes_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// For any records, lines, total, ranking, chart, overview and export have the same sums,
// which include invitees with an unknown code.
func TestCodesAddUp(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Asia/Kathmandu", "America/St_Johns"} {
		t.Run(zone, func(t *testing.T) {
			d := reporttest.NewModelFixture(t, zone)
			rapid.Check(t, func(t *rapid.T) { checkCodes(t, d, reporttest.Draw(t, d, 25)) })
		})
	}
}

func checkCodes(t *rapid.T, d *reporttest.Fixture, m *reporttest.Model) {
	values := reporttest.DrawFilters(t)
	values.Del("q") // here q searches codes, there UIDs and pairs too
	values.Set("sort", rapid.SampledFrom([]string{"code", "-commission", "-change", "value", "-trade-rate"}).Draw(t, "sort"))
	values.Set("compare", rapid.SampledFrom([]string{"none", "previous"}).Draw(t, "compare"))
	r := d.Codes(values.Encode())
	records := m.Matching(r.Query)
	want := m.Sums(records)
	says := func(name string, list ...[]figures.Totals) {
		got := map[affiliate.Coin]*reporttest.Sums{}
		for _, totals := range list {
			for _, total := range totals {
				if got[total.Coin] == nil {
					got[total.Coin] = &reporttest.Sums{Records: 0, Fee: new(big.Rat), Commission: new(big.Rat), Taker: new(big.Rat), Maker: new(big.Rat)}
				}
				got[total.Coin].Add(d, total.Records, affiliate.Number(total.Fee.String()), affiliate.Number(total.Commission.String()),
					affiliate.Number(total.TakerAmount.String()), affiliate.Number(total.MakerAmount.String()))
			}
		}
		for coin := range want {
			if got[coin] == nil || !got[coin].Equal(want[coin]) {
				t.Fatalf("%s: %s in %s: %v, want %v", values.Encode(), name, coin, got[coin], want[coin])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %s has %d coins, want %d", values.Encode(), name, len(got), len(want))
		}
	}
	of := func(lines ...invitecodes.CodeLine) (list [][]figures.Totals) {
		for _, l := range lines {
			list = append(list, l.InRange)
		}
		return list
	}
	says("the lines", of(r.Lines...)...)
	says("the total", r.Total.InRange)
	if r.Count > 0 {
		says("the ranking", of(append(slices.Clone(r.Top), r.Others)...)...)
	}
	for _, l := range r.Lines {
		records := slices.DeleteFunc(slices.Clone(records), func(x reporttest.Record) bool { return x.Account != l.Account || x.Code != l.Code })
		active := map[affiliate.UID]bool{}
		for _, x := range records {
			active[x.UID] = true
		}
		own := m.Sums(records)[r.Coin]
		if own == nil {
			own = m.Sums([]reporttest.Record{{Commission: affiliate.Commission{Coin: r.Coin}}})[r.Coin]
		}
		if in := l.In(r.Coin); reporttest.Rat(d, in.Commission.String()).Cmp(own.Commission) != 0 || l.Active != int64(len(active)) {
			t.Fatalf("%s: %s of %s has %s by %d, want %s by %d", values.Encode(), l.Code, l.Account, in.Commission, l.Active, own.Commission.FloatString(18), len(active))
		}
	}
	for i, part := range r.Daily.Parts {
		sum, want := new(big.Rat), new(big.Rat)
		for _, value := range part.Values {
			sum.Add(sum, reporttest.Rat(d, value.String()))
		}
		if i < len(r.Top) && part.Name != "Other codes" {
			want = reporttest.Rat(d, r.Top[i].In(r.Coin).Commission.String())
		} else {
			for _, l := range slices.Concat(r.Top[i:], []invitecodes.CodeLine{r.Others}) {
				want.Add(want, reporttest.Rat(d, l.In(r.Coin).Commission.String()))
			}
		}
		if sum.Cmp(want) != 0 {
			t.Fatalf("%s: part %s of the chart is %s, want %s", values.Encode(), part.Name, sum.FloatString(18), want.FloatString(18))
		}
	}
	charted := new(big.Rat)
	for i := range r.Daily.Total {
		parts := new(big.Rat)
		for _, part := range r.Daily.Parts {
			parts.Add(parts, reporttest.Rat(d, part.Values[i].String()))
		}
		if parts.Cmp(reporttest.Rat(d, r.Daily.Total[i].String())) != 0 {
			t.Fatalf("%s: on %s the parts of the chart are %s, the total %s", values.Encode(), r.Daily.Days[i], parts, r.Daily.Total[i])
		}
		charted.Add(charted, parts)
	}
	if whole := want[r.Coin]; whole != nil && charted.Cmp(whole.Commission) != 0 {
		t.Fatalf("%s: the chart has %s, want %s", values.Encode(), charted.FloatString(18), whole.Commission.FloatString(18))
	}
	overview := d.Overview(withoutSort(r.Query))
	if len(overview.Cards) != len(r.Cards) {
		t.Fatalf("%s: %d cards, the overview has %d", values.Encode(), len(r.Cards), len(overview.Cards))
	}
	for i, card := range overview.Cards {
		if !card.Commission.Amount.Value.Equal(r.Cards[i].Commission.Amount.Value) || !card.Fee.Amount.Value.Equal(r.Cards[i].Fee.Amount.Value) {
			t.Fatalf("%s: the card is %+v, that of the overview %+v", values.Encode(), r.Cards[i], card)
		}
	}
	checkCodeFile(t, d, r)
}

// checkCodeFile compares a file with its page, row by row.
func checkCodeFile(t *rapid.T, d *reporttest.Fixture, r invitecodes.Report) {
	text, _ := d.Export(invitecodes.File, export.CSV, r.Query)
	rows := reporttest.Parse(d, export.CSV, text)
	if len(rows) != r.Count {
		t.Fatalf("%d rows, the page has %d", len(rows), r.Count)
	}
	for i, l := range r.Lines {
		value := ""
		if v, ok := l.Value(r.Coin); ok && r.Known.Value == "" {
			value = v.String()
		}
		people := func(n int64, unknown string) string {
			if unknown != "" {
				return ""
			}
			return strconv.FormatInt(n, 10)
		}
		got := rows[i]
		for name, want := range map[string]string{
			"account": string(l.Account), "coin": string(r.Coin), "value_per_registration": value,
			"registrations": people(l.Registered, r.Known.Registered), "first_traders": people(l.FirstTraders, r.Known.FirstTrades),
			"active_traders": people(l.Active, r.Known.Commission), "commission": l.In(r.Coin).Commission.String(), "fee": l.In(r.Coin).Fee.String(),
		} {
			if got[name] != want {
				t.Fatalf("row %d: %s is %q, on the page %q", i, name, got[name], want)
			}
		}
		if code := strings.TrimPrefix(got["invite_code"], "'"); code != l.Code {
			t.Fatalf("row %d has the code %q, the page has %q", i, code, l.Code)
		}
	}
}

// Registrations, steps and value cover those who registered in the range.
func TestCodesPeople(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-29)
	at := func(day int) affiliate.Millis { return reporttest.Midnight(reporttest.Today + affiliate.Day(day)) }
	person := func(uid, code string, registered int, kyc bool, deposit, trade affiliate.Millis) affiliate.Invitee {
		return affiliate.Invitee{UID: affiliate.UID(uid), InviteCode: code, RegisterTime: at(registered), KYC: affiliate.FlagOf(kyc), FirstDeposit: deposit, FirstTrade: trade}
	}
	d.ReadInvitees("main", reporttest.Days(-364, 0),
		person("4667776801", "a", -3, true, at(-2), at(-1)),
		person("4667776802", "a", -3, true, at(-2), 0),
		person("4667776803", "a", -3, false, 0, 0),
		person("4667776804", "a", -20, true, at(-2), at(-1)), // registered before the range
		person("4667776805", "", -3, true, 0, 0))
	d.Read("main", reporttest.Spot, reporttest.Days(-29, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "6"), reporttest.Trade(reporttest.Today-10, reporttest.Spot, 1, "3"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 4, "10"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 5, "1"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 9, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-29, 0))
	r := d.Codes("range=7d&sort=code&compare=previous")
	if r.Count != 2 || r.Lines[0].Code != "" || !r.Coverage.Complete() || !r.Listed.Complete() {
		t.Fatalf("the lines are %+v", r.Lines)
	}
	unknown, a := r.Lines[0], r.Lines[1]
	if got := fmt.Sprint(a.Registered, a.KYC, a.Deposited, a.Traded, a.FirstDepositors, a.FirstTraders, a.Active); got != "3 2 2 1 3 2 2" {
		t.Errorf("code a counts %s", got)
	}
	if got := fmt.Sprint(a.KYCRate().Percent, a.DepositRate().Percent, a.TradeRate().Percent); got != "66.7 66.7 33.3" {
		t.Errorf("its steps are %s", got)
	}
	if value, ok := a.Value("USDT"); !ok || value.String() != "3" { // 6 + 3 of the invitee who registered, divided by three
		t.Errorf("a registration is worth %s, %v", value, ok)
	}
	if unknown.Registered != 1 || unknown.Active != 2 || unknown.In("USDT").Commission.String() != "3" {
		t.Errorf("without a code: %+v", unknown)
	}
	if a.Change.Kind != figures.ChangeUp || a.Change.Percent.String() != "433.3" || unknown.Change.Kind != figures.ChangeUp || unknown.Change.Relative() || unknown.Change.By.String() != "3.00 USDT" || r.Total.Change.Percent.String() != "533.3" {
		t.Errorf("the changes are %+v, %+v and %+v", a.Change, unknown.Change, r.Total.Change)
	}
	if p := r.People; p.ActiveTraders.N != 4 || p.ActiveTraders.Reference != 1 || p.Registered.N != 4 || p.Registered.Change.Kind != figures.ChangeUp || p.Registered.Change.By.Short() != "4" {
		t.Errorf("the people are %+v", p)
	}
	if r.Known != (invitecodes.CodeKnowledge{}) {
		t.Errorf("everything is collected, but unknown are %+v", r.Known)
	}
	if r = d.Codes("range=7d&q=A&sort=code"); r.Count != 1 || r.Total.In("USDT").Commission.String() != "16" {
		t.Errorf("searching for a code: %+v", r.Lines)
	}
	r = d.Codes("range=7d&as_of=2026-09-14T00:00:00Z")
	if r.Count != 0 || r.Empty != coverage.EmptyThen {
		t.Errorf("before the first reading: %+v, %q", r.Lines, r.Empty)
	}
}

// A value that is not collected or not reported by the exchange is unknown, not zero.
func TestCodesUnknown(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-29)
	d.Read("main", reporttest.Spot, reporttest.Days(-29, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "6"))
	d.Read("main", reporttest.Futures, reporttest.Days(-29, 0))
	r := d.Codes("range=7d")
	if r.Known.Registered == "" || r.Known.FirstTrades == "" || r.Known.Value == "" || r.Known.Commission != "" || r.Listed.Complete() {
		t.Errorf("no invitee was read, but unknown are only %+v", r.Known)
	}
	text, _ := d.Export(invitecodes.File, export.CSV, r.Query)
	if row := reporttest.Parse(t, export.CSV, text)[0]; row["registrations"] != "" || row["commission"] != "6" || row["kyc_percent"] != "" || row["value_per_registration"] != "" {
		t.Errorf("the file says %v", row)
	}
	if e := d.Open(invitecodes.File, r.Query); !strings.HasPrefix(e.FileName(export.CSV), "incomplete-codes_") {
		t.Errorf("the file is named %s", e.FileName(export.CSV))
	} else if err := e.Close(); err != nil {
		t.Error(err)
	}
	d.ReadInvitees("main", reporttest.Days(-364, 0), affiliate.Invitee{UID: "4667776801", InviteCode: "a", RegisterTime: reporttest.Midnight(reporttest.Today - 1)})
	if r = d.Codes("range=7d"); r.Known.KYC == "" || r.Known.Deposited == "" || r.Known.Registered != "" || r.Known.AtLeast {
		t.Errorf("the exchange reports no step, but unknown are only %+v", r.Known)
	}
	if r = d.Codes("from=2025-09-01&to=2026-09-15"); !r.Known.AtLeast || r.Known.Value == "" {
		t.Errorf("more than a year is %+v", r.Known)
	}
	for query, want := range map[string]coverage.EmptyKind{
		"range=7d&code=b": coverage.EmptyFiltered, "from=2026-08-20&to=2026-08-21": coverage.EmptyTruly,
		"from=2030-01-01&to=2030-01-02": coverage.EmptyFuture, "from=2020-01-01&to=2020-01-02": coverage.EmptyBefore,
	} {
		if got := d.Codes(query).Empty; got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
}

// As of an instant, a page gives the figures that it gave then.
func TestCodesAsOf(t *testing.T) { storetest.Engines(t, "states of the past", testCodesAsOf) }

func testCodesAsOf(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-29)
	d.ReadInvitees("main", reporttest.Days(-364, 0), affiliate.Invitee{UID: "4667776801", InviteCode: "a", RegisterTime: reporttest.Midnight(reporttest.Today - 1)})
	d.Read("main", reporttest.Spot, reporttest.Days(-29, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "6"))
	d.Read("main", reporttest.Futures, reporttest.Days(-29, 0))
	then := d.Now.Add(time.Minute) // writes in one instant receive increasing stamps
	before, _ := d.Export(invitecodes.File, export.CSV, d.CodeQuery("range=7d"))
	d.Now = d.Now.Add(time.Hour)
	d.ReadInvitees("main", reporttest.Days(-364, 0), affiliate.Invitee{UID: "4667776801", InviteCode: "b", RegisterTime: reporttest.Midnight(reporttest.Today - 1)})
	d.Read("main", reporttest.Spot, reporttest.Days(-29, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "60"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 2, "1"))
	after, _ := d.Export(invitecodes.File, export.CSV, d.CodeQuery("range=7d"))
	again, _ := d.Export(invitecodes.File, export.CSV, d.CodeQuery("range=7d&as_of="+then.Format(time.RFC3339)))
	if before == after || again != before {
		t.Errorf("as of the instant the file is\n%s\nand it was\n%s", again, before)
	}
}

// withoutSort returns the query string without the order, for a page with other orders.
func withoutSort(q query.Query) string {
	values := q.Values()
	values.Del("sort")
	return values.Encode()
}
