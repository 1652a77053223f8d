package money_test

import (
	"encoding/csv"
	"encoding/json"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/store/storetest"
)

// table is an exported file, read by other code than the one that wrote it.
type table struct {
	t    *testing.T
	head []string
	rows [][]string
}

func tableOf(t *testing.T, v *site.Visitor, address string) table {
	t.Helper()
	a := v.Get(address)
	rows, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
	if err != nil || a.StatusCode != 200 || len(rows) == 0 {
		t.Fatalf("%s: status %d, %v", address, a.StatusCode, err)
	}
	return table{t, rows[0], rows[1:]}
}

func (f table) cell(row []string, name string) string {
	f.t.Helper()
	i := slices.Index(f.head, name)
	if i < 0 {
		f.t.Fatalf("the file has no column %q: %v", name, f.head)
	}
	return row[i]
}

// sum adds up a column of the rows of an account and coin that a function accepts.
func (f table) sum(account, coin, name string, accepts func(row []string) bool) *big.Rat {
	total := new(big.Rat)
	for _, row := range f.rows {
		if f.cell(row, "account") == account && f.cell(row, "coin") == coin && (accepts == nil || accepts(row)) {
			total.Add(total, exactly(f.t, f.cell(row, name)))
		}
	}
	return total
}

// The balance is audited from the files alone: its sums are those of the lines that are due, its parts those
// of the lines to which each leads, and both add up to the same, to the last digit.
func TestBalanceAddsUp(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"day+8h", "week+24h together"} {
		v := site.OpenPaidBy(t, rule).As("mia", access.Manager)
		for _, query := range []string{"range=all", "range=last-month", "range=30d&coin=USDT", "range=all&kind=direct"} {
			lines, balance := tableOf(t, v, "/payments.csv?"+query), tableOf(t, v, "/balance.csv?"+query)
			due := func(row []string) bool { return lines.cell(row, "state") != "pending" }
			seen := map[string]bool{}
			for _, row := range balance.rows {
				account, coin := balance.cell(row, "account"), balance.cell(row, "coin")
				seen[account+" "+coin] = true
				of := func(name string) *big.Rat { return exactly(t, balance.cell(row, name)) }
				earned, paid := lines.sum(account, coin, "earned", due), lines.sum(account, coin, "paid", due)
				if of("earned").Cmp(earned) != 0 || of("paid").Cmp(paid) != 0 {
					t.Errorf("%s, %s: earned %v and paid %v; the lines that are due: %v and %v", rule, query, of("earned"), of("paid"), earned, paid)
				}
				parts := new(big.Rat).Add(of("missing"), of("underpaid"))
				parts.Add(parts, of("restated")).Sub(parts, of("excess"))
				if owed := new(big.Rat).Sub(earned, paid); of("balance").Cmp(owed) != 0 || parts.Cmp(owed) != 0 {
					t.Errorf("%s, %s, %s: balance %v, parts %v, earned − paid %v", rule, query, coin, of("balance"), parts, owed)
				}
				if missing := lines.sum(account, coin, "earned", func(row []string) bool { return lines.cell(row, "state") == "missing" }); of("missing").Cmp(missing) != 0 {
					t.Errorf("%s, %s, %s: missing %v, the lines %v", rule, query, coin, of("missing"), missing)
				}
				for _, part := range []string{"missing", "underpaid", "restated", "excess"} {
					opened := tableOf(t, v, "/payments.csv?"+query+"&part="+part)
					if (len(opened.rows) == 0) != (balance.sum(account, coin, part, nil).Sign() == 0) && len(balance.rows) == 1 {
						t.Errorf("%s, %s: %d lines of %s, and %v", rule, query, len(opened.rows), part, of(part))
					}
				}
			}
			for _, row := range lines.rows {
				if key := lines.cell(row, "account") + " " + lines.cell(row, "coin"); due(row) && !seen[key] {
					t.Errorf("%s, %s: %s is due and has no row", rule, query, key)
				}
			}
		}
	}
}

// The statement of account goes from one balance to the other by its entries, its closing balance of all time is
// the balance, and months follow each other without a gap.
func TestStatementOfAccount(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"day+8h", "week+24h together"} {
		p := site.OpenPaidBy(t, rule)
		v := p.As("mia", access.Manager)
		balance := tableOf(t, v, "/balance.csv")
		closing := map[string]map[string]*big.Rat{}
		for _, query := range []string{"range=all", "from=2026-08-01&to=2026-08-31", "from=2026-09-01&to=2026-09-10"} {
			f := tableOf(t, v, "/balance/account.csv?"+query)
			closing[query] = map[string]*big.Rat{}
			running := new(big.Rat)
			for _, row := range f.rows {
				coin, now := f.cell(row, "coin"), exactly(t, f.cell(row, "balance"))
				switch f.cell(row, "entry") {
				case "opening":
					running.Set(now)
					if query == "from=2026-09-01&to=2026-09-10" && closing["from=2026-08-01&to=2026-08-31"][coin].Cmp(now) != 0 {
						t.Errorf("%s, %s: September opens with %v, August closes with %v", rule, coin, now, closing["from=2026-08-01&to=2026-08-31"][coin])
					}
				case "closing":
					closing[query][coin] = now
				default:
					running.Add(running, exactly(t, f.cell(row, "amount")))
				}
				if running.Cmp(now) != 0 {
					t.Errorf("%s, %s: the balance is %v, by its entries %v", rule, query, now, running)
				}
			}
		}
		for _, row := range balance.rows {
			if got, want := closing["range=all"][balance.cell(row, "coin")], exactly(t, balance.cell(row, "balance")); got == nil || got.Cmp(want) != 0 {
				t.Errorf("%s, %s: the statement closes with %v, the balance is %v", rule, balance.cell(row, "coin"), got, want)
			}
		}
		if file := v.Get("/balance/account.pdf?range=last-month"); file.StatusCode != 200 || !strings.HasPrefix(file.Body, "%PDF") {
			t.Errorf("the PDF: status %d", file.StatusCode)
		}
	}
}

// The page says what is owed, each part opens its lines, and what was accepted is said apart: the books
// contain it.
func TestBalanceIsSaid(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	v := p.As("mia", access.Manager)
	page := v.Get("/balance").Body
	if answer := site.Said(page, "answer"); !strings.Contains(answer, "the exchange owes") || !strings.Contains(answer, "not paid at all") || !strings.Contains(answer, "underpaid") ||
		!strings.Contains(answer, "The oldest is due since") {
		t.Errorf("the page says %q", answer)
	}
	if opened := v.Get("/payments?range=all&part=underpaid&coin=USDT"); opened.StatusCode != 200 || strings.Count(opened.Body, `href="/payments/line?`) == 0 {
		t.Errorf("the lines that are underpaid: status %d", opened.StatusCode)
	}
	before := tableOf(t, v, "/balance.csv")
	_, query, _ := strings.Cut(lineOf(t, v, "missing"), "?")
	key, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	fields := []string{"text", "Agreed with support", "verdict", "accepted"}
	for name := range key {
		fields = append(fields, name, key.Get(name))
	}
	v.Get("/payments/line?" + query)
	if a := v.Post("/payments/notes", fields...); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	if after := tableOf(t, v, "/balance.csv"); !slices.EqualFunc(before.rows, after.rows, slices.Equal) {
		t.Errorf("a verdict changed the books: %v, %v", before.rows, after.rows)
	}
	if page := v.Get("/balance").Body; !strings.Contains(page, "is of lines that were accepted as they are") {
		t.Error("the page does not say what was accepted")
	}
	if a := v.Get("/balance?part=missing"); a.StatusCode != 400 {
		t.Errorf("a parameter of the list: status %d", a.StatusCode)
	}
}

// Months say of each month what its balance says, and lead to it.
func TestBalanceOfMonths(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"day+8h", "week+24h together"} {
		v := site.OpenPaidBy(t, rule).As("mia", access.Manager)
		var months []struct {
			Month     string
			OnBalance []struct{ Coin, Balance string } `json:"on_balance"`
		}
		storetest.Done(t, json.Unmarshal([]byte(v.Get("/months.json").Body), &months))
		list, owing := v.Get("/months").Body, 0
		for _, m := range months {
			query := rangeOfMonth(t, m.Month)
			balance := tableOf(t, v, "/balance.csv?"+query)
			if len(m.OnBalance) != len(balance.rows) {
				t.Errorf("%s, %s: %v, and the balance has %v", rule, m.Month, m.OnBalance, balance.rows)
			}
			for _, one := range m.OnBalance {
				if want := balance.sum("main", one.Coin, "balance", nil); exactly(t, one.Balance).Cmp(want) != 0 {
					t.Errorf("%s, %s: %s %s, and the balance has %v", rule, m.Month, one.Balance, one.Coin, want)
				}
				owing++
			}
			link := `href="/balance?` + strings.ReplaceAll(query, "&", "&amp;") + `"`
			page := v.Get("/months/" + m.Month).Body
			if said := site.Said(page, "owed"); len(balance.rows) == 0 {
				if !strings.HasPrefix(said, "Nothing is due of") || strings.Contains(page, link) {
					t.Errorf("%s, %s: nothing is due, and the page says %q", rule, m.Month, said)
				}
			} else if !strings.HasPrefix(said, "On balance the exchange") || !strings.Contains(page, link) || !strings.Contains(list, link) {
				t.Errorf("%s, %s: the page says %q, or does not lead to the balance", rule, m.Month, said)
			}
		}
		if owing == 0 {
			t.Errorf("%s: nothing was ever due", rule)
		}
	}
}
