package simulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rebatedesk/affiliate"
)

// Any window, in pages of any size, returns exactly its records of the ledger, in the
// order of the exchange.
func TestPagingGivesTheLedger(t *testing.T) {
	for _, bounds := range []Bounds{BoundsInclusive, BoundsHalfOpen, BoundsExclusive} {
		for _, order := range []RowOrder{NewestFirst, OldestFirst} {
			t.Run(fmt.Sprint(bounds, order), func(t *testing.T) {
				s := New(Options{Seed: 3, Days: 80, Invitees: 500, Records: 1500, Now: frozen, RateLimit: -1, Bounds: bounds, Order: order})
				l, r := s.Ledger(), rand.New(rand.NewPCG(1, 2))
				inside := func(at, from, to int64) bool {
					return (at > from || at == from && bounds != BoundsExclusive) && (at < to || at == to && bounds == BoundsInclusive)
				}
				for range 12 {
					// These windows begin and end exactly on records.
					a, b := r.IntN(1500), r.IntN(1500)
					from, to := int64(l.Commissions[min(a, b)].DealTime), int64(l.Commissions[max(a, b)].DealTime)
					size := 20 + r.IntN(81)
					product := affiliate.Products()[r.IntN(2)]
					window := func(path, extra, pageName string) []any {
						return listed(t, s, path, extra, pageName, from, to, size)
					}
					var want, got []affiliate.Commission
					for _, c := range l.Commissions {
						if c.Product == product && inside(int64(c.DealTime), from, to) {
							want = append(want, c)
						}
					}
					for _, row := range window(commissionPath, "productType="+string(product)+"&", "page") {
						got = append(got, commissionOf(row, product))
					}
					if order == NewestFirst {
						slices.Reverse(want)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%d to %d in pages of %d: %d rows, want %d", from, to, size, len(got), len(want))
					}
					var users, wantUsers []affiliate.Invitee
					for _, u := range l.Invitees {
						if inside(int64(u.RegisterTime), from, to) {
							wantUsers = append(wantUsers, u)
						}
					}
					for _, row := range window(inviteePath, "", "page") {
						users = append(users, inviteeOf(row))
					}
					differ(t, "invitees", users, wantUsers)
					var days, wantDays []affiliate.SubAffiliateDay
					for _, d := range l.SubAffiliateDays {
						if d.Product == product && inside(int64(d.Date)*day, from, to) {
							wantDays = append(wantDays, d)
						}
					}
					for _, row := range window(subPath, string(product), "pageNum") {
						days = append(days, subAffiliateDayOf(t, row))
					}
					differ(t, "sub-affiliate days", days, wantDays)
				}
			})
		}
	}
}

// listed reads all pages of a window and checks their counts.
func listed(t *testing.T, s *Simulator, path, extra, pageName string, from, to int64, size int) []any {
	t.Helper()
	if from == to {
		return nil
	}
	var rows []any
	for n := 1; ; n++ {
		method, query := "GET", fmt.Sprintf("%sstartTime=%d&endTime=%d&%s=%d&pageSize=%d", extra, from, to, pageName, n, size)
		if path == subPath {
			method, query = "POST", fmt.Sprintf(`{"productType":%q,"startTime":%d,"endTime":%d,%q:%d,"pageSize":%d}`, extra, from, to, pageName, n, size)
		}
		p := ask(t, s, method, path, query)
		rows = append(rows, p.rows...)
		if p.size != size || p.pages != pagesOf(p.total, size) {
			t.Fatalf("page %d states %d pages of %d for %d", n, p.pages, p.size, p.total)
		}
		if len(p.rows) < size {
			if len(rows) != p.total {
				t.Fatalf("%d rows of a total of %d", len(rows), p.total)
			}
			return rows
		}
	}
}

func TestPageDefaults(t *testing.T) {
	s := New(Options{Seed: 3, Days: 30, Invitees: 900, Records: 3000, Now: frozen, RateLimit: -1})
	month := fmt.Sprintf("startTime=%d", instant.UnixMilli()-30*day)
	body := fmt.Sprintf(`{"productType":"SPOT","startTime":%d,%%s}`, instant.UnixMilli()-30*day)
	for _, test := range []struct {
		method, path, query string
		size                int
	}{
		{"GET", commissionPath, month, 100},
		{"GET", commissionPath, month + "&pageSize=250", 100},
		{"GET", commissionPath, month + "&pageSize=7", 7},
		{"GET", inviteePath, month, 100},
		{"POST", subPath, fmt.Sprintf(body, `"x":0`), 10},
		{"POST", subPath, fmt.Sprintf(body, `"pageSize":55`), 55},
	} {
		if p := ask(t, s, test.method, test.path, test.query); p.size != test.size || len(p.rows) != test.size {
			t.Errorf("%s: %d rows of a page of %d, want %d", test.query, len(p.rows), p.size, test.size)
		}
	}
	// A parameter with a wrong name is ignored, so that every page is page 1.
	for _, test := range []struct{ method, path, wrong, right string }{
		{"GET", commissionPath, month + "&pageNo=2", month + "&page=2"},
		{"POST", subPath, fmt.Sprintf(body, `"page":2`), fmt.Sprintf(body, `"pageNum":2`)},
	} {
		first := fmt.Sprint(ask(t, s, test.method, test.path, test.wrong).rows)
		one := test.method == "GET"
		if one && first != fmt.Sprint(ask(t, s, "GET", commissionPath, month).rows) {
			t.Errorf("%s is not page 1", test.wrong)
		}
		if first == fmt.Sprint(ask(t, s, test.method, test.path, test.right).rows) {
			t.Errorf("%s is page 2", test.wrong)
		}
	}
	// Without parameters a call answers for SPOT and the last seven days.
	spot := 0
	for _, c := range s.Ledger().Commissions {
		if c.Product == affiliate.Spot && int64(c.DealTime) >= instant.UnixMilli()-7*day {
			spot++
		}
	}
	if p := ask(t, s, "GET", commissionPath, ""); p.total != spot || spot == 0 {
		t.Errorf("total %d by default, want %d", p.total, spot)
	}
}

func TestFilters(t *testing.T) {
	s := New(Options{Seed: 3, Days: 30, Invitees: 300, Records: 3000, Now: frozen, RateLimit: -1, Faults: FaultsNone})
	l := s.Ledger()
	uid := l.Commissions[1000].UID
	s.Insert(affiliate.Commission{DealTime: l.Commissions[1000].DealTime, UID: uid, Product: affiliate.Futures, Coin: "BTC", Commission: "1"})
	count := func(matches func(affiliate.Commission) bool) int {
		n := 0
		for _, c := range s.Ledger().Commissions {
			if c.Product == affiliate.Futures && matches(c) {
				n++
			}
		}
		return n
	}
	query := fmt.Sprintf("productType=FUTURES&startTime=%d&pageSize=1", instant.UnixMilli()-31*day)
	byUser := count(func(c affiliate.Commission) bool { return c.UID == uid })
	if p := ask(t, s, "GET", commissionPath, query+"&uid="+string(uid)); p.total != byUser || byUser < 2 {
		t.Errorf("%d rows of the user, want %d", p.total, byUser)
	}
	byCoin := count(func(c affiliate.Commission) bool { return c.Coin == "BTC" })
	if p := ask(t, s, "GET", commissionPath, query+"&coin=BTC"); p.total != byCoin || byCoin != 1 {
		t.Errorf("%d rows in BTC, want %d", p.total, byCoin)
	}
	var recent affiliate.Invitee
	for _, u := range l.Invitees {
		recent = u
	}
	if p := ask(t, s, "GET", inviteePath, "uid="+string(recent.UID)); p.total != 1 || inviteeOf(p.rows[0]) != recent {
		t.Errorf("%v, want %v", p, recent)
	}
	sub := l.SubAffiliateDays[len(l.SubAffiliateDays)-1]
	p := ask(t, s, "POST", subPath, fmt.Sprintf(`{"productType":%q,"subUid":%s}`, sub.Product, sub.UID))
	for _, row := range p.rows {
		if got := subAffiliateDayOf(t, row); got.UID != sub.UID {
			t.Errorf("%v is of another", got)
		}
	}
	if p.total == 0 {
		t.Error("no days of the sub-affiliate")
	}
}
