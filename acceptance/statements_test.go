package acceptance_test

import (
	"bytes"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

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

// words is the text of a page.
func words(page string) string {
	_, page, _ = strings.Cut(page, `id="page"`)
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(page, " "))), " ")
}

// A manager keeps a payee, issues a statement, downloads and sends it once however often the
// form is sent, and notes the payment. A later change is offered as a correction. Pages,
// paper and rows agree; a viewer only reads.
func TestStatementPages(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	month := affiliate.NewDay(now.Year(), now.Month()-1, 1)
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
			slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, Days: span, Started: m.now(), Through: affiliate.MillisOf(m.now())}
			_, err := records.ReplaceSubAffiliateDays(t.Context(), m.store, slice, rows)
			storetest.Done(t, err)
		}
	}
	storetest.Done(t, m.store.WantFrom(t.Context(), "main", month))
	read("20")
	viewer := m.as("vera", access.Viewer)
	list := "/statements?month=" + month.Format("2006-01")
	if page := words(m.mia.get(list).body); !strings.Contains(page, "import terms of scope sub-affiliate") {
		t.Errorf("without terms the page says %q", page)
	}
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,note\nsub-affiliate,77,,0.175,2026-01-01,,\n"))
	storetest.Done(t, err)
	_, err = agreements.ImportTerms(t.Context(), m.store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "mia"})
	storetest.Done(t, err)

	payee := []string{"name", "Bob <b>", "address", "Road 2\nTown", "email", "bob@example.com", "payment", "IBAN 1"}
	if a := m.mia.post("/statements/payees/77", "name", "x", "email", "nobody"); a.StatusCode != 400 || !strings.Contains(a.body, `value="nobody"`) {
		t.Errorf("a bad address: status %d", a.StatusCode)
	}
	for path, a := range map[string]answer{
		"payee of a viewer": viewer.post("/statements/payees/77", payee...),
		"issue of a viewer": viewer.post("/statements", "month", month.Format("2006-01"), "uid", "77"),
	} {
		if a.StatusCode != 403 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}
	m.mia.post("/statements/payees/77", payee...)
	at, _, _ := strings.Cut(m.mia.atOnce(4, 409, "/statements", "month", month.Format("2006-01"), "uid", "77", "reason", "history begins later").Header.Get("Location"), "?")
	if at != "/statements/"+month.Format("2006-01")+"-0001" {
		t.Fatalf("issued: to %q", at)
	}
	due := affiliate.Grouped(strings.TrimRight(want.FloatString(18), "0"))
	for path, page := range map[string]string{at: words(viewer.get(at).body), list: words(viewer.get(list).body), "/statements/payees/77": words(viewer.get("/statements/payees/77").body)} {
		if !strings.Contains(page, due) {
			t.Errorf("%s lacks %s: %s", path, due, page)
		}
	}
	if page := viewer.get(at).body; strings.Contains(page, "/paid") || strings.Contains(page, "Bob <b>") {
		t.Error("a viewer may change the statement, or a name is an element")
	}
	pdf := m.mia.get(at + "/statement.pdf")
	if text := strings.Join(pdftext.Pages(t, []byte(pdf.body)), "\n"); pdf.StatusCode != 200 || !strings.Contains(text, due) || !strings.Contains(text, "Bob <b>\nRoad 2\nTown") {
		t.Errorf("status %d, the paper says %s", pdf.StatusCode, text)
	}
	if tagged := pdftext.Tagged(t, []byte(pdf.body)); !strings.Contains(tagged, "\n  P \"Bob <b> Road 2 Town\"\n  H1 \"Statement "+strings.TrimPrefix(at, "/statements/")+"\"\n  L\n") ||
		!regexp.MustCompile(`\n      TH Scope /Row "Total"\n(      TD ".*"\n)*      TD "`+regexp.QuoteMeta(due)+`"\n`).MatchString(tagged) {
		t.Errorf("the paper is read aloud as\n%s", tagged)
	}
	if again := m.mia.get(at + "/statement.pdf"); again.body != pdf.body {
		t.Error("two downloads differ")
	}
	if a := viewer.get(at + "/statement.pdf"); a.StatusCode != 403 {
		t.Errorf("a file for a viewer: status %d", a.StatusCode)
	}
	sentence := "We owe " + due + " to Bob <b> for " + month.Format("January 2006")
	if page := words(viewer.get(at).body); strings.Count(page, sentence) != 1 {
		t.Errorf("the page does not say once who owes what: %s", page)
	}
	owedInWorkbook(t, m.mia.get(at+"/statement.xlsx"), sentence, due)

	before := queued.FindStringSubmatch(m.mia.get(at).body)[1]
	for range 2 {
		if a := m.mia.post(at+"/send", "to", "bob@example.com", "queued", before); a.StatusCode != 303 {
			t.Errorf("sent: status %d", a.StatusCode)
		}
	}
	if a := m.mia.post(at+"/send", "to", "bob", "queued", "1"); a.StatusCode != 400 {
		t.Errorf("sent to no address: status %d", a.StatusCode)
	}
	m.send()
	soon(t, "the page says that the mail was sent", func() bool { return strings.Contains(words(m.mia.get(at).body), "bob@example.com sent") })
	if n := m.count("statement mailed"); n != 1 {
		t.Errorf("%d lines of the audit log about the mail", n)
	}
	if n := len(m.box.letters()); n != 1 {
		t.Fatalf("%d mails", n)
	}
	letter, err := mail.ParseLetter([]byte(m.box.letters()[0].content))
	storetest.Done(t, err)
	if len(letter.Files) != 2 || !bytes.Equal(letter.Files[0].Content, []byte(pdf.body)) || !strings.Contains(letter.Text, due) || !strings.Contains(letter.HTML, due) {
		t.Errorf("the mail has %d files and says %s", len(letter.Files), letter.Text)
	}
	if a := m.mia.post(at+"/paid", "day", "2026-02-30", "reference", "x"); a.StatusCode != 400 {
		t.Errorf("paid on no day: status %d", a.StatusCode)
	}
	if a := m.mia.post(at+"/paid", "day", affiliate.DayOf(m.now(), time.UTC).String(), "reference", "wire 4711"); a.StatusCode != 303 {
		t.Errorf("paid: status %d: %s", a.StatusCode, words(a.body))
	}

	m.clock.pass(time.Hour)
	read("21.5")
	if page := words(m.mia.get(at).body); !strings.Contains(page, "The figures are others now.") {
		t.Errorf("the page offers no correction: %s", page)
	}
	a := m.mia.post(at+"/correct", "reason", "history begins later")
	corrected, _, _ := strings.Cut(a.Header.Get("Location"), "?")
	page := words(m.mia.get(corrected).body)
	for _, says := range []string{affiliate.Grouped(strings.TrimRight(want.FloatString(18), "0")), "was paid on", "wire 4711", "0.525 is still to be paid to"} {
		if !strings.Contains(page, says) {
			t.Errorf("the correction %q lacks %q: %s", corrected, says, page)
		}
	}
	if page := words(m.mia.get(at).body); !strings.Contains(page, "This statement was corrected.") || !strings.Contains(page, due) {
		t.Errorf("the first statement says %s", page)
	}
	for path, status := range map[string]int{
		"/statements?state=lost": 400, "/statements?month=soon": 400, "/statements?uid=" + url.QueryEscape("<b>"): 400, "/statements?range=30d": 400,
		"/statements/2026-01-0099": 404, "/statements/%3Cb%3E": 404, "/statements/payees/a%2Fb": 404, at + "?x=1": 400,
	} {
		if a := m.mia.get(path); a.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, status)
		}
	}
}

// owedInWorkbook checks that the workbook of a statement says who owes what to whom, and that its lines
// add up to it.
func owedInWorkbook(t *testing.T, a answer, sentence, due string) {
	t.Helper()
	book, err := excelize.OpenReader(strings.NewReader(a.body))
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
