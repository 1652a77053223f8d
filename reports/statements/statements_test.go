package statements_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pdftext"
	"rebatedesk/pdf"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/statements"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/records"
	stored "rebatedesk/store/statements"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

// desk is a fixture with a month of sub-affiliates: days × two products of some UIDs.
type desk struct {
	*reporttest.Fixture
	rows []affiliate.SubAffiliateDay
}

func newDesk(t *testing.T, place string, uids ...affiliate.UID) *desk {
	d := &desk{Fixture: reporttest.NewFixtureAt(t, "Asia/Tokyo", place)}
	d.Want("main", reporttest.August)
	for i := range 31 {
		for n, uid := range uids {
			for m, product := range affiliate.Products() {
				d.rows = append(d.rows, affiliate.SubAffiliateDay{
					UID: uid, Product: product, Date: reporttest.August + affiliate.Day(i), TradingVolume: affiliate.Number(fmt.Sprintf("%d.5", 1000*(i+1))),
					NetTradingFee: affiliate.Number(fmt.Sprintf("%d.%08d", i*(n+1), 1234567+i*7919+m)), PaidCommission: affiliate.Number(fmt.Sprintf("0.%06d", i+1)),
				})
			}
		}
	}
	d.ReadSubAffiliates(statements.WholeMonth(reporttest.August), d.rows...)
	return d
}

// agree imports terms about sub-affiliates: lines of value, product, rate, from and to.
func (d *desk) agree(lines ...string) {
	d.Helper()
	text := "scope,value,product_type,rate,from,to,note\n"
	for _, line := range lines {
		text += "sub-affiliate," + line + ",\n"
	}
	d.importTerms(text)
}

func (d *desk) importTerms(text string) {
	d.Helper()
	file, err := terms.Parse(d.Context(), []byte(text))
	storetest.Done(d, err)
	_, err = agreements.ImportTerms(d.Context(), d.DB, file, "terms.csv", store.AnyVersion, reporttest.ByAnn)
	storetest.Done(d, err)
}

// problem returns what was refused.
func problem(t testing.TB, err error) string {
	t.Helper()
	rule, ok := errors.AsType[*store.RuleError](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	return rule.Problem
}

func ratOf(t testing.TB, n affiliate.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r
}

// dueOf adds up fee × rate of a sub-affiliate by fractions.
func (d *desk) dueOf(uid affiliate.UID, rate func(affiliate.SubAffiliateDay) string) *big.Rat {
	sum := new(big.Rat)
	for _, row := range d.rows {
		if row.UID == uid {
			sum.Add(sum, new(big.Rat).Mul(ratOf(d, row.NetTradingFee), ratOf(d, affiliate.Number(rate(row)))))
		}
	}
	return sum
}

// A statement has the rows of the exchange and the agreed share of each, exactly, as numbers,
// on paper and in the workbook; on both engines.
func TestStatementOnEngines(t *testing.T) {
	places := storetest.Servers(t)
	places["file"] = func(t testing.TB) string { return storetest.Empty(t) }
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, place(t), "7", "8")
			d.Service.Letterhead = pdf.Letterhead{Name: "Ann & Søn", Address: []string{"Street 1", "12345 Town"}}
			d.agree(",,0.1,2026-01-01,", "7,FUTURES,0.35,2026-08-01,2026-08-15", "7,FUTURES,0.123456,2026-08-16,")
			storetest.Done(t, d.SavePayee(t.Context(), "7", stored.Payee{Name: "Bob Łodzi", Address: "Road 2\nVillage", Payment: "IBAN 1234"}, reporttest.ByAnn))
			issued, err := d.IssueStatement(t.Context(), "7", reporttest.August, "", reporttest.ByAnn)
			storetest.Done(t, err)
			want := d.dueOf("7", func(row affiliate.SubAffiliateDay) string {
				switch {
				case row.Product == affiliate.Spot:
					return "0.1"
				case row.Date <= reporttest.August+14:
					return "0.35"
				}
				return "0.123456"
			})
			if issued.Number != "2026-08-0001" || ratOf(t, issued.Due).Cmp(want) != 0 || issued.State() != stored.StateIssued {
				t.Errorf("issued %+v, due should be %s", issued, want.FloatString(20))
			}
			p, err := d.Statement(t.Context(), issued.Number)
			storetest.Done(t, err)
			sum := new(big.Rat)
			for _, line := range p.Content.Lines {
				sum.Add(sum, ratOf(t, line.Due))
			}
			if sum.Cmp(want) != 0 || ratOf(t, p.Content.Total().Due).Cmp(want) != 0 || len(p.Content.Lines) != 62 || p.Restated() {
				t.Errorf("%d lines sum up to %s, total %s, restated %v", len(p.Content.Lines), sum.FloatString(20), p.Content.Total().Due, p.Restated())
			}
			files, err := d.StatementFiles(t.Context(), issued.Number)
			storetest.Done(t, err)
			text := strings.Join(pdftext.Pages(t, files.PDF), "\n")
			for _, words := range []string{
				"Ann & Søn\nStreet 1\n12345 Town", "Bob Łodzi\nRoad 2\nVillage", "Statement 2026-08-0001", "August 2026: 1 August to 31 August 2026, UTC days",
				"IBAN 1234", "12.3456 %", "35 %", "For Ann & Søn", statements.Exact(issued.Due), "2026-08-31",
			} {
				if !strings.Contains(text, words) {
					t.Errorf("the paper lacks %q:\n%s", words, text)
				}
			}
			for range 2 {
				pdf, err := statements.PDF(p.Content, d.Service.Letterhead)
				storetest.Done(t, err)
				xlsx, err := statements.XLSX(p.Content)
				storetest.Done(t, err)
				if !bytes.Equal(pdf, files.PDF) || !bytes.Equal(xlsx, files.XLSX) {
					t.Fatal("files made again differ")
				}
			}
			if _, err := d.IssueStatement(t.Context(), "7", reporttest.August, "", reporttest.ByAnn); !strings.Contains(problem(t, err), "2026-08-0001") {
				t.Errorf("issued twice: %v", err)
			}
		})
	}
}

// What is missing refuses a statement, and with a reason is printed on it.
func TestStatementRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.Empty(t), "7")
	issue := func(uid affiliate.UID, month affiliate.Day, reason string) error {
		_, err := d.IssueStatement(t.Context(), uid, month, reason, reporttest.ByAnn)
		return err
	}
	if got := problem(t, issue("7", reporttest.August, "")); !strings.Contains(got, "import a term of scope sub-affiliate") {
		t.Errorf("without terms: %s", got)
	}
	d.agree("7,SPOT,0.2,2026-08-10,")
	if got := problem(t, issue("7", reporttest.August, "")); !strings.Contains(got, "No share of Spot is agreed for days with business from 2026-08-01 to 2026-08-09") {
		t.Errorf("without terms for some days: %s", got)
	}
	if got := problem(t, issue("9", reporttest.August, "x")); !strings.Contains(got, "reports nothing of sub-affiliate 9") {
		t.Errorf("unknown: %s", got)
	}
	d.agree("7,,0.2,2026-01-01,")
	september := affiliate.NewDay(2026, time.September, 1)
	d.ReadSubAffiliates(affiliate.Days{First: september, Last: september + 9}, affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: september, NetTradingFee: "10"})
	if got := problem(t, issue("7", september, "")); !strings.Contains(got, "The month is not over") {
		t.Errorf("a month that is not over: %s", got)
	}
	storetest.Done(t, issue("7", september, "Bob leaves today"))
	p, err := d.Statement(t.Context(), "2026-09-0001")
	storetest.Done(t, err)
	if p.Incomplete != "Bob leaves today" || len(p.Content.Lacks) != 2 || p.Due != "2" {
		t.Errorf("%+v", p)
	}
	files, err := d.StatementFiles(t.Context(), "2026-09-0001")
	storetest.Done(t, err)
	if text := pdftext.Pages(t, files.PDF)[0]; !strings.Contains(text, "This statement is incomplete.") || !strings.Contains(text, "Bob leaves today") {
		t.Errorf("the paper says nothing:\n%s", text)
	}
}

// A change after the issue is offered as a correction, which names the old statement and its
// difference; the old one stays as it was.
func TestStatementCorrected(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "what is never changed again", testStatementCorrected)
}

func testStatementCorrected(t *testing.T) {
	d := newDesk(t, storetest.Empty(t), "7")
	d.agree("7,,0.2,2026-01-01,")
	first, err := d.IssueStatement(t.Context(), "7", reporttest.August, "", reporttest.ByAnn)
	storetest.Done(t, err)
	before, err := d.StatementFiles(t.Context(), first.Number)
	storetest.Done(t, err)
	if _, err := d.CorrectStatement(t.Context(), first.Number, "", reporttest.ByAnn); !strings.Contains(problem(t, err), "nothing to correct") {
		t.Errorf("corrected without a change: %v", err)
	}
	storetest.Done(t, d.PayStatement(t.Context(), first.Number, stored.Payment{Day: reporttest.Today, Reference: "wire 17"}, reporttest.ByAnn))
	if err := d.PayStatement(t.Context(), first.Number, stored.Payment{Day: reporttest.Today, Reference: "wire 17"}, reporttest.ByAnn); problem(t, err) == "" {
		t.Error("paid twice")
	}
	d.Now = d.Now.Add(time.Hour)
	d.rows[4].NetTradingFee = "1000000.00000000000001"
	d.ReadSubAffiliates(statements.WholeMonth(reporttest.August), d.rows...)
	p, err := d.Statement(t.Context(), first.Number)
	storetest.Done(t, err)
	if !p.Restated() || len(p.Now.Corrects.Changes) != 1 || p.Content.Total().Due != first.Due {
		t.Fatalf("restated %v, changes %+v", p.Restated(), p.Now.Corrects.Changes)
	}
	second, err := d.CorrectStatement(t.Context(), first.Number, "", reporttest.ByAnn)
	storetest.Done(t, err)
	want := d.dueOf("7", func(affiliate.SubAffiliateDay) string { return "0.2" })
	difference := new(big.Rat).Sub(want, ratOf(t, first.Due))
	if second.Number != "2026-08-0002" || second.Corrects != first.Number || ratOf(t, second.Due).Cmp(want) != 0 || ratOf(t, second.Difference).Cmp(difference) != 0 {
		t.Errorf("the correction is %+v", second)
	}
	files, err := d.StatementFiles(t.Context(), second.Number)
	storetest.Done(t, err)
	text := strings.Join(pdftext.Pages(t, files.PDF), "\n")
	for _, words := range []string{"Corrects  Statement 2026-08-0001", "was paid on 2026-09-15 (wire 17)", statements.Exact(second.Difference) + " is still to be paid to", "200,000.000000000000002"} {
		if !strings.Contains(text, words) {
			t.Errorf("the correction lacks %q:\n%s", words, text)
		}
	}
	after, err := d.StatementFiles(t.Context(), first.Number)
	storetest.Done(t, err)
	if !bytes.Equal(before.PDF, after.PDF) || !bytes.Equal(before.XLSX, after.XLSX) {
		t.Error("the first statement was changed")
	}
	if p, err = d.Statement(t.Context(), first.Number); err != nil || p.State() != stored.StateCorrected || p.CorrectedBy != second.Number || p.Restated() {
		t.Errorf("the first statement is %+v, %v", p.IssuedStatement, err)
	}
	for what, err := range map[string]error{
		"corrected twice": func() error {
			_, err := d.CorrectStatement(t.Context(), first.Number, "", reporttest.ByAnn)
			return err
		}(),
		"paid":     d.PayStatement(t.Context(), first.Number, stored.Payment{Day: reporttest.Today, Reference: "x"}, reporttest.ByAnn),
		"not paid": d.UnpayStatement(t.Context(), first.Number, reporttest.ByAnn),
	} {
		if !strings.Contains(problem(t, err), second.Number) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A tier is reached by the month's volume of the sub-affiliate itself, in the account and the product
// of its term, and only by as much as the term says.
func TestStatementTiers(t *testing.T) {
	t.Parallel()
	// Each of both sub-affiliates has a volume of 496015.5 in each product of one account, and one of
	// them 500000 of Spot in the other.
	for name, c := range map[string]struct {
		terms                []string // value, product, account and tier
		spot, futures, other string   // the rates that apply
	}{
		"reached":                           {[]string{"7,,,", "7,,,1492031"}, "0.2", "0.2", "0.2"},
		"not reached":                       {[]string{"7,,,", "7,,,1492031.1"}, "0.1", "0.1", "0.1"},
		"of one product":                    {[]string{"7,,,", "7,FUTURES,,496015.5"}, "0.1", "0.2", "0.1"},
		"of one product, without the other": {[]string{"7,,,", "7,FUTURES,,496015.6"}, "0.1", "0.1", "0.1"},
		"of one account":                    {[]string{"7,,,", "7,,main,992031"}, "0.2", "0.2", "0.1"},
		"of one account, without the other": {[]string{"7,,,", "7,,main,992031.1"}, "0.1", "0.1", "0.1"},
		"of every one":                      {[]string{",,,", ",,,1492031"}, "0.2", "0.2", "0.2"},
		"of every one, without the others":  {[]string{",,,", ",,,1492031.1"}, "0.1", "0.1", "0.1"},
		"the highest that is reached":       {[]string{"7,,,5", "7,,,1000000", "7,,,2000000"}, "0.2", "0.2", "0.2"},
	} {
		d := newDesk(t, storetest.Empty(t), "7", "8")
		d.Want("other", reporttest.August)
		month := statements.WholeMonth(reporttest.August)
		for _, product := range affiliate.Products() {
			var rows []affiliate.SubAffiliateDay
			if product == affiliate.Spot {
				rows = []affiliate.SubAffiliateDay{{UID: "7", Product: product, Date: reporttest.August, TradingVolume: "500000", NetTradingFee: "1000"}}
			}
			_, err := records.ReplaceSubAffiliateDays(t.Context(), d.DB, d.Slice("other", affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, month), rows)
			storetest.Done(t, err)
		}
		text := "scope,value,product_type,account,tier_from,tier_by,rate,from,to,note\n"
		for i, term := range c.terms {
			by := "volume"
			if strings.HasSuffix(term, ",") {
				by = ""
			}
			text += fmt.Sprintf("sub-affiliate,%s,%s,0.%d,2026-01-01,,\n", term, by, i+1)
		}
		d.importTerms(text)
		issued, err := d.IssueStatement(t.Context(), "7", reporttest.August, "", reporttest.ByAnn)
		storetest.Done(t, err)
		want := d.dueOf("7", func(row affiliate.SubAffiliateDay) string {
			if row.Product == affiliate.Spot {
				return c.spot
			}
			return c.futures
		})
		want.Add(want, new(big.Rat).Mul(ratOf(t, affiliate.Number(c.other)), big.NewRat(1000, 1)))
		if ratOf(t, issued.Due).Cmp(want) != 0 {
			t.Errorf("%s: due %s, want %s", name, issued.Due, want.FloatString(18))
		}
	}
}

// Whatever is stated of a day makes a correction if it changes, and is named with the day. Another
// spelling of a number changes nothing. Where the exchange gives no fee, nothing is due, and that is
// said.
func TestStatementRestated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(*affiliate.SubAffiliateDay)
		restated bool
	}{
		"volume":           {func(row *affiliate.SubAffiliateDay) { row.TradingVolume = "1" }, true},
		"fee":              {func(row *affiliate.SubAffiliateDay) { row.NetTradingFee = "1" }, true},
		"paid":             {func(row *affiliate.SubAffiliateDay) { row.PaidCommission = "1" }, true},
		"no fee":           {func(row *affiliate.SubAffiliateDay) { row.NetTradingFee = "" }, true},
		"another spelling": {func(row *affiliate.SubAffiliateDay) { row.NetTradingFee += "00" }, false},
	} {
		d := newDesk(t, storetest.Empty(t), "7")
		d.agree("7,,0,2026-01-01,") // so that nothing is due whatever the fee
		first, err := d.IssueStatement(t.Context(), "7", reporttest.August, "", reporttest.ByAnn)
		storetest.Done(t, err)
		before := d.rows[6]
		d.Now = d.Now.Add(time.Hour)
		c.change(&d.rows[6])
		d.ReadSubAffiliates(statements.WholeMonth(reporttest.August), d.rows...)
		p, err := d.Statement(t.Context(), first.Number)
		storetest.Done(t, err)
		changes := p.Now.Corrects.Changes
		if p.Restated() != c.restated || c.restated && (len(changes) != 1 || changes[0].Day != before.Date.String() || changes[0].Product != before.Product ||
			changes[0].FeeBefore != before.NetTradingFee || changes[0].FeeAfter != d.rows[6].NetTradingFee) {
			t.Errorf("%s: restated %v: %+v", name, p.Restated(), changes)
		}
		if lacks := slices.ContainsFunc(p.Now.Lacks, func(s string) bool { return strings.HasPrefix(s, "The exchange gave no fee for 1 line") }); lacks != (name == "no fee") {
			t.Errorf("%s: it lacks %q", name, p.Now.Lacks)
		}
	}
}

// Numbers have no gap and no double, however many issue at once.
func TestStatementNumbers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "numbers that are given once", testStatementNumbers)
}

func testStatementNumbers(t *testing.T) {
	var uids []affiliate.UID
	for i := range 6 {
		uids = append(uids, affiliate.UID(fmt.Sprint(10+i)))
	}
	d := newDesk(t, storetest.Empty(t), uids...)
	d.agree(",,0.1,2026-01-01,")
	var group sync.WaitGroup
	for range 3 {
		for _, uid := range uids {
			group.Go(func() {
				if _, err := d.IssueStatement(t.Context(), uid, reporttest.August, "", reporttest.ByAnn); err != nil {
					if _, ok := errors.AsType[*store.RuleError](err); !ok {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	list, err := d.Statements(t.Context(), stored.Query{Month: reporttest.August})
	storetest.Done(t, err)
	var numbers []string
	for _, one := range list {
		numbers = append(numbers, one.Number)
	}
	slices.Reverse(numbers)
	if want := []string{"2026-08-0001", "2026-08-0002", "2026-08-0003", "2026-08-0004", "2026-08-0005", "2026-08-0006"}; !slices.Equal(numbers, want) {
		t.Errorf("the numbers are %q", numbers)
	}
	issued, refused, err := d.IssueStatements(t.Context(), reporttest.August, "", reporttest.ByAnn)
	if err != nil || len(issued) > 0 || len(refused) > 0 {
		t.Errorf("issued again: %v, %v, %v", issued, refused, err)
	}
}
