package money_test

import (
	"bytes"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/internal/pdftext"
	"rebatedesk/mail"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

var queued = regexp.MustCompile(`name="queued" value="(\d+)"`)

// A manager keeps a payee, issues a statement, downloads and sends it once however often the
// form is sent, and notes the payment. A later change is offered as a correction. Pages,
// paper and rows agree; a viewer only reads.
func TestStatementPages(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	month := affiliate.NewDay(site.Now.Year(), site.Now.Month()-1, 1)
	year, number, _ := month.Date()
	span := affiliate.Days{First: month, Last: affiliate.NewDay(year, number+1, 1) - 1}
	want := new(big.Rat)
	read := func(third affiliate.Number) {
		t.Helper()
		want = new(big.Rat)
		for _, product := range affiliate.Products() {
			var rows []affiliate.SubAffiliateDay
			for i, fee := range []affiliate.Number{"100.00000001", "0.3", third} {
				rows = append(rows, affiliate.SubAffiliateDay{UID: "77", Product: product, Date: month + affiliate.Day(i), TradingVolume: "5", NetTradingFee: fee, PaidCommission: "1"})
				rate, _ := new(big.Rat).SetString(string(fee))
				want.Add(want, rate.Mul(rate, big.NewRat(7, 40)))
			}
			slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, Days: span, Started: m.Now(), Through: affiliate.MillisOf(m.Now())}
			_, err := records.ReplaceSubAffiliateDays(t.Context(), m.Store, slice, rows)
			storetest.Done(t, err)
		}
	}
	storetest.Done(t, m.Store.WantFrom(t.Context(), "main", month))
	read("20")
	viewer := m.As("vera", access.Viewer)
	list := "/statements?month=" + month.Format("2006-01")
	if page := site.Words(m.Mia.Get(list).Body); !strings.Contains(page, "import terms of scope sub-affiliate") {
		t.Errorf("without terms the page says %q", page)
	}
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,note\nsub-affiliate,77,,0.175,2026-01-01,,\n"))
	storetest.Done(t, err)
	_, err = agreements.ImportTerms(t.Context(), m.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "mia"})
	storetest.Done(t, err)

	payee := []string{"name", "Bob <b>", "address", "Road 2\nTown", "email", "bob@example.com", "payment", "IBAN 1"}
	if a := m.Mia.Post("/statements/payees/77", "name", "x", "email", "nobody"); a.StatusCode != 400 || !strings.Contains(a.Body, `value="nobody"`) {
		t.Errorf("a bad address: status %d", a.StatusCode)
	}
	for path, a := range map[string]site.Answer{
		"payee of a viewer": viewer.Post("/statements/payees/77", payee...),
		"issue of a viewer": viewer.Post("/statements", "month", month.Format("2006-01"), "uid", "77"),
	} {
		if a.StatusCode != 403 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}
	m.Mia.Post("/statements/payees/77", payee...)
	at, _, _ := strings.Cut(m.Mia.AtOnce(4, 409, "/statements", "month", month.Format("2006-01"), "uid", "77", "reason", "history begins later").Header.Get("Location"), "?")
	if at != "/statements/"+month.Format("2006-01")+"-0001" {
		t.Fatalf("issued: to %q", at)
	}
	due := affiliate.Grouped(strings.TrimRight(want.FloatString(18), "0"))
	for path, page := range map[string]string{at: site.Words(viewer.Get(at).Body), list: site.Words(viewer.Get(list).Body), "/statements/payees/77": site.Words(viewer.Get("/statements/payees/77").Body)} {
		if !strings.Contains(page, due) {
			t.Errorf("%s lacks %s: %s", path, due, page)
		}
	}
	if page := viewer.Get(at).Body; strings.Contains(page, "/paid") || strings.Contains(page, "Bob <b>") {
		t.Error("a viewer may change the statement, or a name is an element")
	}
	pdf := m.Mia.Get(at + "/statement.pdf")
	if text := strings.Join(pdftext.Pages(t, []byte(pdf.Body)), "\n"); pdf.StatusCode != 200 || !strings.Contains(text, due) || !strings.Contains(text, "Bob <b>\nRoad 2\nTown") {
		t.Errorf("status %d, the paper says %s", pdf.StatusCode, text)
	}
	if tagged := pdftext.Tagged(t, []byte(pdf.Body)); !strings.Contains(tagged, "\n  P \"Bob <b> Road 2 Town\"\n  H1 \"Statement "+strings.TrimPrefix(at, "/statements/")+"\"\n  L\n") ||
		!regexp.MustCompile(`\n      TH Scope /Row "Total"\n(      TD ".*"\n)*      TD "`+regexp.QuoteMeta(due)+`"\n`).MatchString(tagged) {
		t.Errorf("the paper is read aloud as\n%s", tagged)
	}
	if again := m.Mia.Get(at + "/statement.pdf"); again.Body != pdf.Body {
		t.Error("two downloads differ")
	}
	if a := viewer.Get(at + "/statement.pdf"); a.StatusCode != 403 {
		t.Errorf("a file for a viewer: status %d", a.StatusCode)
	}
	sentence := "We owe " + due + " to Bob <b> for " + month.Format("January 2006")
	if page := site.Words(viewer.Get(at).Body); strings.Count(page, sentence) != 1 {
		t.Errorf("the page does not say once who owes what: %s", page)
	}
	owedInWorkbook(t, m.Mia.Get(at+"/statement.xlsx"), sentence, due)

	before := queued.FindStringSubmatch(m.Mia.Get(at).Body)[1]
	for range 2 {
		if a := m.Mia.Post(at+"/send", "to", "bob@example.com", "queued", before); a.StatusCode != 303 {
			t.Errorf("sent: status %d", a.StatusCode)
		}
	}
	if a := m.Mia.Post(at+"/send", "to", "bob", "queued", "1"); a.StatusCode != 400 {
		t.Errorf("sent to no address: status %d", a.StatusCode)
	}
	m.Send()
	site.Soon(t, "the page says that the mail was sent", func() bool { return strings.Contains(site.Words(m.Mia.Get(at).Body), "bob@example.com sent") })
	if n := m.Count("statement mailed"); n != 1 {
		t.Errorf("%d lines of the audit log about the mail", n)
	}
	if n := len(m.Box.Letters()); n != 1 {
		t.Fatalf("%d mails", n)
	}
	letter, err := mail.ParseLetter([]byte(m.Box.Letters()[0].Content))
	storetest.Done(t, err)
	if len(letter.Files) != 2 || !bytes.Equal(letter.Files[0].Content, []byte(pdf.Body)) || !strings.Contains(letter.Text, due) || !strings.Contains(letter.HTML, due) {
		t.Errorf("the mail has %d files and says %s", len(letter.Files), letter.Text)
	}
	if a := m.Mia.Post(at+"/paid", "day", "2026-02-30", "reference", "x"); a.StatusCode != 400 {
		t.Errorf("paid on no day: status %d", a.StatusCode)
	}
	if a := m.Mia.Post(at+"/paid", "day", affiliate.DayOf(m.Now(), time.UTC).String(), "reference", "wire 4711"); a.StatusCode != 303 {
		t.Errorf("paid: status %d: %s", a.StatusCode, site.Words(a.Body))
	}

	m.Clock.Pass(time.Hour)
	read("21.5")
	if page := site.Words(m.Mia.Get(at).Body); !strings.Contains(page, "The figures are others now.") {
		t.Errorf("the page offers no correction: %s", page)
	}
	a := m.Mia.Post(at+"/correct", "reason", "history begins later")
	corrected, _, _ := strings.Cut(a.Header.Get("Location"), "?")
	page := site.Words(m.Mia.Get(corrected).Body)
	for _, says := range []string{affiliate.Grouped(strings.TrimRight(want.FloatString(18), "0")), "was paid on", "wire 4711", "0.525 is still to be paid to"} {
		if !strings.Contains(page, says) {
			t.Errorf("the correction %q lacks %q: %s", corrected, says, page)
		}
	}
	if page := site.Words(m.Mia.Get(at).Body); !strings.Contains(page, "This statement was corrected.") || !strings.Contains(page, due) {
		t.Errorf("the first statement says %s", page)
	}
	for path, status := range map[string]int{
		"/statements?state=lost": 400, "/statements?month=soon": 400, "/statements?uid=" + url.QueryEscape("<b>"): 400, "/statements?range=30d": 400,
		"/statements/2026-01-0099": 404, "/statements/%3Cb%3E": 404, "/statements/payees/a%2Fb": 404, at + "?x=1": 400,
	} {
		if a := m.Mia.Get(path); a.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, status)
		}
	}
}

// owedInWorkbook checks that the workbook of a statement says who owes what to whom, and that its lines
// add up to it.
func owedInWorkbook(t *testing.T, a site.Answer, sentence, due string) {
	t.Helper()
	book, err := excelize.OpenReader(strings.NewReader(a.Body))
	if err != nil {
		t.Fatalf("the workbook: status %d, %v", a.StatusCode, err)
	}
	defer book.Close()
	var all []string
	total := new(big.Rat)
	for _, sheet := range book.GetSheetList() {
		rows, err := book.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		column := -1
		for i, row := range rows {
			all = append(all, strings.Join(row, " "))
			if i == 0 {
				column = slices.Index(row, "owed")
			} else if column >= 0 && column < len(row) {
				raw, err := book.GetCellValue(sheet, fmt.Sprint(string(rune('A'+column)), i+1), excelize.Options{RawCellValue: true})
				if err != nil {
					t.Fatal(err)
				}
				total.Add(total, ratOf(t, raw))
			}
		}
	}
	text := strings.Join(all, "\n")
	if !strings.Contains(text, "Who owes what "+sentence) || strings.Contains(text, "our_share") {
		t.Errorf("the workbook says %s", text)
	}
	if want := ratOf(t, strings.ReplaceAll(due, ",", "")); total.Cmp(want) != 0 {
		t.Errorf("the lines add up to %s, want %s", total.FloatString(18), due)
	}
}
