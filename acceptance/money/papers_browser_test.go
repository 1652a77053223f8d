package money_test

import (
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
	"rebatedesk/terms"
	"rebatedesk/web"
)

// The pages of agreed rates, of a month, of statements, of a run, of segments and of annotations look right with much on them.
func TestBrowserPapers(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserEveryPage visits these pages, with less on them")
	t.Parallel()
	p := site.OpenPaid(t)
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,note\nsub-affiliate,,,0.175,2026-01-01,,by mail\nall,,,0.3,2026-01-01,,\n"))
	if err == nil {
		_, err = agreements.ImportTerms(t.Context(), p.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"})
	}
	if err != nil {
		t.Fatal(err)
	}
	service := reports.New(p.Store, p.Now)
	month := affiliate.NewDay(site.Now.Year(), site.Now.Month()-1, 1)
	issued, refused, err := service.IssueStatements(t.Context(), month, "only some days are collected", audit.Line{Actor: "ann"})
	if err != nil || len(issued) == 0 {
		t.Fatalf("%d statements issued, %v: %v", len(issued), refused, err)
	}
	if _, err := service.AddSegment(t.Context(), "Élite", "product=FUTURES&coin=USDT&commission_least=5", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	today := affiliate.DayOf(site.Now, site.Now.Location())
	for _, days := range []affiliate.Days{{First: today - 29, Last: today - 29}, {First: today - 9, Last: today - 4}, {First: today, Last: today}} {
		note := annotations.Annotation{Days: days, Words: "campaign " + strings.Repeat("Autumn ", 20)}
		if _, err := reports.NewAnnotationDesk(service, annotated.Writer{Name: "ann"}).AddAnnotation(t.Context(), note, audit.Line{Actor: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, code := range site.CodesOf(t, p.Store) {
		cost := costs.Cost{Scope: costs.OfCode, Value: code, Kind: costs.Monthly, Amount: "20", Coin: "USDT", First: today - 40, Note: "newsletter"}
		if _, err := costs.Table.Add(t.Context(), p.Store, cost, audit.Line{Actor: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	address, _ := site.Serve(t, web.Options{Reports: service, Desk: service, Collect: site.Nothing})
	for _, path := range []string{"/rates/terms", "/rates?range=30d", "/months/" + month.Format("2006-01"), "/statements", "/statements/" + issued[0].Number, "/collection/runs/1",
		"/segments", "/segments/new", "/annotations", "/annotations/new", "/commissions?range=30d", "/returns"} {
		name := strings.ReplaceAll(strings.Trim(path, "/"), "/", "-")
		t.Run(name, func(t *testing.T) {
			b := site.Open(t, address+path, site.Desktop)
			b.Looks(name)
		})
	}
}
