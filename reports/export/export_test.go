package export_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/subaffiliates"
)

func TestFileNames(t *testing.T) {
	for zone, want := range map[string]string{
		"UTC": "2026-09-14_2026-09-15_UTC", "America/Argentina/Buenos_Aires": "2026-09-14_2026-09-15_America-Argentina-Buenos_Aires",
		"Etc/GMT+3": "2026-09-14_2026-09-15_Etc-GMT-3",
	} {
		d := reporttest.NewFixture(t, zone)
		const query = "from=2026-09-14&to=2026-09-15"
		name := func(kind *export.Kind, query string, format export.Format) string {
			e := d.Open(kind, d.Ask(query))
			defer e.Close()
			return e.FileName(format)
		}
		d.Read("main", reporttest.Spot, reporttest.Days(-2, 0))
		if got := name(commissions.DailyFile, query, export.CSV); got != "incomplete-daily_"+want+".csv" {
			t.Errorf("half collected: %s", got)
		}
		d.Read("main", reporttest.Futures, reporttest.Days(-2, 0))
		d.Read("a/b c\"", reporttest.Spot, reporttest.Days(-2, 0))
		d.Read("a/b c\"", reporttest.Futures, reporttest.Days(-2, 0))
		if got := name(commissions.File, query, export.JSONL); got != "commissions_"+want+".jsonl" {
			t.Errorf("collected: %s", got)
		}
		if got := name(commissions.File, query+"&account=a/b+c%22", export.JSON); got != "commissions_a-b-c-_"+want+".json" {
			t.Errorf("an account whose name is not a valid file name: %s", got)
		}
		if got := name(subaffiliates.File, query, export.CSV); got != "incomplete-sub-affiliates_2026-09-14_2026-09-15_UTC.csv" {
			t.Errorf("another kind, which is not collected: %s", got)
		}
	}
}

// The coverage of an export is that of its kind and filters.
func TestExportCoverage(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-1, 0))
	d.ReadSubAffiliates(reporttest.Days(-3, 0))
	complete := func(kind *export.Kind, query string) bool {
		e := d.Open(kind, d.Ask(query))
		defer e.Close()
		return e.Coverage.Complete()
	}
	for _, c := range []struct {
		kind  *export.Kind
		query string
		want  bool
	}{
		{commissions.File, "from=2026-09-14&to=2026-09-15", true},
		{commissions.DailyFile, "from=2026-09-13&to=2026-09-15", false},
		{subaffiliates.File, "from=2026-09-12&to=2026-09-15", true},
		{subaffiliates.File, "from=2026-09-11&to=2026-09-15", false},
		{invitees.File, "from=2026-09-15&to=2026-09-15", false},
		{commissions.File, "range=all", true},
		{subaffiliates.File, "range=all", true},
		{invitees.File, "range=all", false},
	} {
		if got := complete(c.kind, c.query); got != c.want {
			t.Errorf("%s %s: complete %v", c.kind, c.query, got)
		}
	}
}

// An export of all time covers all stored records of its kind, and no other kind affects
// it.
func TestExportOfAllTime(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-30)
	d.ReadSubAffiliates(reporttest.Days(-30, 0), affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: reporttest.Today - 30, PaidCommission: "1"})
	text, summary := d.Export(subaffiliates.File, export.CSV, d.Ask("range=all"))
	if summary.Rows != 1 {
		t.Errorf("sub-affiliates without commissions: %s", text)
	}
	// Commissions reach further back than the exchange's list of invitees.
	d.Want("main", reporttest.Today-400)
	d.ReadEmpty(reporttest.Days(-400, 0))
	d.ReadInvitees("main", reporttest.Days(-365, 0), affiliate.Invitee{UID: "1"}, affiliate.Invitee{UID: "2", RegisterTime: reporttest.Midnight(reporttest.Today - 500)})
	e := d.Open(invitees.File, d.Ask("range=all"))
	if !e.Coverage.Complete() {
		t.Errorf("all invitees that can be collected are collected: %+v", e.Coverage)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if text, summary := d.Export(invitees.File, export.CSV, d.Ask("range=all")); summary.Rows != 2 {
		t.Errorf("invitees of unknown and of old registration: %s", text)
	}
}

// A filter that cannot be applied is refused, never ignored.
func TestFiltersOfEachKind(t *testing.T) {
	d := reporttest.NewModelFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(0, 0))
	asOf := "as_of=" + reporttest.Noon.Format(time.RFC3339)
	for kind, foreign := range map[*export.Kind][]string{
		commissions.File:      nil,
		commissions.DailyFile: nil,
		invitees.File:         {"product=SPOT", "coin=USDT", "symbol=x", "source=sub"},
		subaffiliates.File:    {"coin=USDT", "symbol=x", "source=sub", "code=x"},
	} {
		for _, asked := range []string{"account=main", "uid=1", "product=SPOT", "coin=USDT", "symbol=x", "source=sub", "code=x", "q=x", asOf} {
			name, _, _ := strings.Cut(asked, "=")
			refused := strings.Contains(strings.Join(foreign, " "), asked)
			e, err := d.OpenExport(t.Context(), kind, d.Ask(asked))
			var wrong *query.ParamError
			if refused != errors.As(err, &wrong) || refused && (wrong.Param != name || !strings.Contains(err.Error(), kind.Name)) || !refused && err != nil {
				t.Errorf("%s by %s: %v", kind, asked, err)
			}
			if err == nil {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestInviteesExport(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Tokyo")
	register := func(uid affiliate.UID, code string, utc string) affiliate.Invitee {
		return affiliate.Invitee{UID: uid, InviteCode: code, RegisterTime: affiliate.MillisOf(reporttest.At(t, utc))}
	}
	d.ReadInvitees("main", reporttest.Days(-3, 0),
		register("3", "b", "2026-09-14T15:00:00Z"), // the first instant of the 15th in that zone
		register("1", "a", "2026-09-13T14:59:59.999Z"),
		register("2", "a", "2026-09-13T15:00:00Z"),
		affiliate.Invitee{UID: "4"})
	d.ReadInvitees("other", reporttest.Days(-3, 0), register("2", "c", "2026-09-13T15:00:00Z"))
	for query, want := range map[string]string{
		"range=all":                            "4 1 2 2 3",
		"range=all&account=main":               "4 1 2 3",
		"from=2026-09-13&to=2026-09-13":        "1",
		"from=2026-09-14&to=2026-09-14":        "2 2",
		"from=2026-09-14&to=2026-09-15":        "2 2 3",
		"from=2026-09-14&to=2026-09-15&code=a": "2",
		"range=all&uid=2":                      "2 2",
		"range=all&q=B":                        "3",
		"range=all&code=none":                  "",
	} {
		text, _ := d.Export(invitees.File, export.CSV, d.Ask(query))
		var uids []string
		for _, row := range reporttest.Parse(t, export.CSV, text) {
			uids = append(uids, row["uid"])
		}
		if got := strings.Join(uids, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestSubAffiliatesExport(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	row := func(uid affiliate.UID, product affiliate.Product, day affiliate.Day) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: uid, Product: product, Date: day, TradingVolume: "1"}
	}
	d.Want("main", reporttest.Today-3)
	d.ReadSubAffiliates(reporttest.Days(-3, 0), row("9", affiliate.Spot, reporttest.Today), row("8", affiliate.Futures, reporttest.Today-1), row("8", affiliate.Spot, reporttest.Today-1), row("7", affiliate.Spot, reporttest.Today-3))
	for query, want := range map[string]string{
		"range=all":                     "7 SPOT, 8 FUTURES, 8 SPOT, 9 SPOT",
		"from=2026-09-13&to=2026-09-14": "8 FUTURES, 8 SPOT",
		"range=all&product=SPOT":        "7 SPOT, 8 SPOT, 9 SPOT",
		"range=all&uid=8":               "8 FUTURES, 8 SPOT",
		"range=all&account=main&uid=1":  "",
	} {
		text, _ := d.Export(subaffiliates.File, export.CSV, d.Ask(query))
		var rows []string
		for _, r := range reporttest.Parse(t, export.CSV, text) {
			rows = append(rows, r["sub_affiliate_uid"]+" "+r["product_type"])
		}
		if got := strings.Join(rows, ", "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestExportAsOfBeforeAnything(t *testing.T) {
	d := everyKind(t)
	for _, kind := range reports.ExportKinds() {
		instant := "&as_of="
		if kind == changes.File {
			instant = ever(kind) + "&until="
		}
		e := d.Open(kind, d.AskFor(kind, "range=today"+instant+reporttest.Noon.Add(-time.Second).Format(time.RFC3339)))
		if e.Coverage.Complete() || !strings.HasPrefix(e.FileName(export.CSV), "incomplete-") {
			t.Errorf("%s: %+v", kind, e.Coverage)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if text, summary := d.Export(kind, export.CSV, e.Query); summary.Rows != 0 {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

// The split of a chart does not narrow a file and is not among its filters.
func TestFactsNameFiltersOnly(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	q := d.Ask("range=today&product=SPOT")
	q.By = "source"
	e := d.Open(commissions.File, q)
	if got := e.Facts().Filters; got != "product=SPOT" {
		t.Errorf("the filters are %q", got)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
