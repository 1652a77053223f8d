package money_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

// columnSum adds up a column of the rows that a function accepts.
func (f table) columnSum(name string, accepts func(row []string) bool) *big.Rat {
	total := new(big.Rat)
	for _, row := range f.rows {
		if accepts(row) && f.cell(row, name) != "" {
			total.Add(total, exactly(f.t, f.cell(row, name)))
		}
	}
	return total
}

// workbookSum adds up a column of the first sheet of a workbook.
func workbookSum(t *testing.T, a site.Answer, column string) *big.Rat {
	t.Helper()
	book, err := excelize.OpenReader(strings.NewReader(a.Body))
	if err != nil {
		t.Fatalf("the workbook: status %d, %v", a.StatusCode, err)
	}
	defer book.Close()
	sheet := book.GetSheetList()[0]
	rows, err := book.GetRows(sheet, excelize.Options{RawCellValue: true})
	storetest.Done(t, err)
	at := slices.Index(rows[0], column)
	if at < 0 {
		t.Fatalf("no column %q in %v", column, rows[0])
	}
	total := new(big.Rat)
	for _, row := range rows[1:] {
		if at < len(row) && row[at] != "" {
			total.Add(total, exactly(t, row[at]))
		}
	}
	return total
}

// What is left of a month is audited from the files of its parts: commission less the shares of the statements
// less the costs that fell due, in each coin, to the last digit. A share without a coin stands apart. A run of
// statements adds up to the shares of the month.
func TestNetAddsUp(t *testing.T) {
	t.Parallel()
	s := site.OpenClosing(t)
	v := s.As("mia", access.Manager)
	days := "from=2026-10-01&to=2026-10-31"
	subs := tableOf(t, v, "/sub-affiliates.csv?"+days)
	var uids []string
	for _, row := range subs.rows {
		if uid := subs.cell(row, "sub_affiliate_uid"); !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	if len(uids) < 2 {
		t.Fatalf("%d sub-affiliates in October", len(uids))
	}
	bare := uids[0] // the one whose share has no coin
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,note,coin\nsub-affiliate,,,0.0625,2026-01-01,,,USDT\nsub-affiliate,"+bare+",,0.05,2026-01-01,,,\n"))
	storetest.Done(t, err)
	_, err = agreements.ImportTerms(t.Context(), s.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "mia"})
	storetest.Done(t, err)
	var codes []string
	commissions := tableOf(t, v, "/commissions.csv?"+days)
	for _, row := range commissions.rows {
		if code := commissions.cell(row, "invite_code"); code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	if len(codes) < 2 {
		t.Fatalf("%d codes in October", len(codes))
	}
	v.Get("/returns")
	for _, cost := range [][]string{
		{"value", codes[0], "kind", "per_registration", "amount", "1.05", "coin", "USDT", "from", "2026-09-01"},
		{"value", codes[0], "kind", "monthly", "amount", "25", "coin", "USDT", "from", "2026-08-31"},
		{"value", codes[1], "kind", "once", "amount", "0.0123", "coin", "BTC", "from", "2026-10-31"},
	} {
		if a := v.Post("/returns/costs", append([]string{"scope", "code"}, cost...)...); a.StatusCode != 303 {
			t.Fatalf("a cost: status %d: %.300s", a.StatusCode, site.Words(a.Body))
		}
	}
	owed := func(rate *big.Rat, of func(uid string) bool) *big.Rat {
		fees := subs.columnSum("net_trading_fee", func(row []string) bool { return of(subs.cell(row, "sub_affiliate_uid")) })
		return fees.Mul(fees, rate)
	}
	shares := owed(big.NewRat(1, 16), func(uid string) bool { return uid != bare })
	apart := owed(big.NewRat(1, 20), func(uid string) bool { return uid == bare })
	if shares.Sign() == 0 || apart.Sign() == 0 {
		t.Fatalf("shares of %v and %v", shares, apart)
	}
	returns := tableOf(t, v, "/returns.csv?"+days)
	ofFirst := func(row []string) bool {
		return returns.cell(row, "value") == codes[0] && returns.cell(row, "coin") == "USDT"
	}
	costs := map[string]*big.Rat{"BTC": exactly(t, "0.0123"), "USDT": returns.columnSum("cost", ofFirst)}
	byHand := returns.columnSum("registrations", ofFirst)
	if byHand.Mul(byHand, exactly(t, "1.05")).Add(byHand, exactly(t, "25")).Cmp(costs["USDT"]) != 0 || byHand.Cmp(exactly(t, "25")) <= 0 {
		t.Fatalf("costs of October: %v, by hand %v", returns.rows, byHand)
	}
	check := func(when string) {
		t.Helper()
		net := tableOf(t, v, "/net.csv?month=2026-10")
		seen := 0
		for _, row := range net.rows {
			coin := net.cell(row, "coin")
			if coin == "" {
				if got := exactly(t, net.cell(row, "shares")); got.Cmp(apart) != 0 || net.cell(row, "net") != "" || net.cell(row, "unknown_because") == "" {
					t.Errorf("%s: the shares without a coin are %v, want %v", when, row, apart)
				}
				continue
			}
			seen++
			want := commissions.columnSum("commission", func(row []string) bool { return commissions.cell(row, "coin") == coin })
			if got := exactly(t, net.cell(row, "commission")); got.Cmp(want) != 0 {
				t.Errorf("%s, %s: commission %v, the file %v", when, coin, got, want)
			}
			for name, part := range map[string]*big.Rat{"shares": map[string]*big.Rat{"USDT": shares}[coin], "costs": costs[coin]} {
				if part == nil {
					part = new(big.Rat)
				}
				if got := exactly(t, net.cell(row, name)); got.Cmp(part) != 0 {
					t.Errorf("%s, %s: %s %v, by its own file %v", when, coin, name, got, part)
				}
				want.Sub(want, part)
			}
			if got := exactly(t, net.cell(row, "net")); got.Cmp(want) != 0 {
				t.Errorf("%s, %s: net %v, by the files of its parts %v", when, coin, got, want)
			}
		}
		if seen < 2 || len(net.rows) != seen+1 {
			t.Errorf("%s: %d rows, %d of a coin", when, len(net.rows), seen)
		}
	}
	check("by the figures and terms of now")
	v.Get("/statements?month=2026-10")
	v.Post("/statements", "month", "2026-10", "uid", "", "reason", "as far as known")
	list := v.Get("/statements?month=2026-10").Body
	run, bareNumber := new(big.Rat), ""
	for n := range uids {
		number := fmt.Sprintf("2026-10-%04d", n+1)
		sum := workbookSum(t, v.Get("/statements/"+number+"/statement.xlsx"), "owed")
		run.Add(run, sum)
		if sum.Cmp(apart) == 0 {
			bareNumber = number
		}
		if !strings.Contains(list, number) {
			t.Errorf("the list lacks %s", number)
		}
	}
	if want := new(big.Rat).Add(shares, apart); run.Cmp(want) != 0 || bareNumber == "" {
		t.Errorf("the statements add up to %v, the shares of the month to %v", run, want)
	}
	check("by the statements")

	var o struct {
		Coin, Month, Commission, Shares, Costs, Net string
		Coins                                       []struct{ Coin, Net string }
		Apart                                       []struct {
			SubAffiliate string `json:"sub_affiliate"`
			Shares       string
			Statement    string
		}
	}
	a := v.Get("/net.json?month=2026-10&coin=USDT")
	storetest.Done(t, json.Unmarshal([]byte(a.Body), &o))
	left := exactly(t, o.Commission)
	left.Sub(left, exactly(t, o.Shares)).Sub(left, exactly(t, o.Costs))
	if o.Coin != "USDT" || o.Month != "2026-10" || exactly(t, o.Net).Cmp(left) != 0 || len(o.Coins) != 1 || len(o.Apart) != 1 || o.Apart[0].SubAffiliate != bare || o.Apart[0].Statement != bareNumber || exactly(t, o.Apart[0].Shares).Cmp(apart) != 0 {
		t.Errorf("the JSON of a coin: %.800s", a.Body)
	}
	a = v.Get("/net.json?month=2026-10")
	storetest.Done(t, json.Unmarshal([]byte(a.Body), &o))
	if len(o.Coins) < 2 || o.Net == "" {
		t.Errorf("the JSON of all coins: %.800s", a.Body)
	}
	for _, refused := range []string{"code=" + url.QueryEscape(codes[0]), "segment=x", "account=main", "uid=7"} {
		if a := v.Get("/net?" + refused); a.StatusCode != 400 {
			t.Errorf("%s: status %d", refused, a.StatusCode)
		}
	}
	page := v.Get("/net?month=2026-10").Body
	if answer := site.Said(page, "answer"); !strings.Contains(answer, "is left of") || !strings.Contains(answer, "of shares and") || !strings.Contains(answer, "without a price and left out") {
		t.Errorf("the page says %q", answer)
	}
	if !strings.Contains(site.Words(page), "stands apart and is not taken off") {
		t.Error("the page does not say what it leaves out")
	}
}

// The list of a month says what is owed to whom, what of it is paid and what is left, with totals in each coin.
func TestStatementsOwedPaidLeft(t *testing.T) {
	t.Parallel()
	s := site.OpenClosing(t)
	v := s.As("mia", access.Manager)
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,note,coin\nsub-affiliate,,,0.0625,2026-01-01,,,USDT\n"))
	storetest.Done(t, err)
	_, err = agreements.ImportTerms(t.Context(), s.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "mia"})
	storetest.Done(t, err)
	v.Get("/statements?month=2026-10")
	v.Post("/statements", "month", "2026-10", "uid", "", "reason", "as far as known")
	first := "/statements/2026-10-0001"
	if words := site.Words(v.Get(first).Body); !strings.Contains(words, "What is owed is in USDT, as agreed") {
		t.Errorf("the statement does not say its coin: %.600s", words)
	}
	if a := v.Post(first+"/paid", "day", affiliate.DayOf(s.Now(), time.UTC).String(), "reference", "wire 1"); a.StatusCode != 303 {
		t.Fatalf("paid: status %d", a.StatusCode)
	}
	var o struct {
		Shares string
		Of     []struct{ Shares, Paid, Left, Statement string } `json:"shares_of"`
	}
	storetest.Done(t, json.Unmarshal([]byte(v.Get("/net.json?month=2026-10&coin=USDT").Body), &o))
	due, paid, left := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, one := range o.Of {
		due.Add(due, exactly(t, one.Shares))
		paid.Add(paid, exactly(t, one.Paid))
		left.Add(left, exactly(t, one.Left))
		if one.Statement == "2026-10-0001" && (one.Paid != one.Shares || one.Left != "0") || one.Statement != "2026-10-0001" && (one.Paid != "0" || one.Left != one.Shares) {
			t.Errorf("%+v", one)
		}
	}
	if due.Cmp(exactly(t, o.Shares)) != 0 || new(big.Rat).Add(paid, left).Cmp(due) != 0 || paid.Sign() == 0 || left.Sign() == 0 {
		t.Errorf("owed %v, paid %v, left %v; shares %s", due, paid, left, o.Shares)
	}
	said := func(r *big.Rat) string {
		return affiliate.Grouped(strings.TrimRight(r.FloatString(18), "0")) + "\u00a0USDT"
	}
	words := strings.ReplaceAll(site.Words(v.Get("/statements?month=2026-10").Body), " USDT", "\u00a0USDT")
	for _, want := range []string{"We owe " + said(due) + " in all", said(paid) + " is paid", said(left) + " is left"} {
		if !strings.Contains(words, want) {
			t.Errorf("the list does not say %q: %.900s", want, words)
		}
	}
}
