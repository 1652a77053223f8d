package payments_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/storetest"
)

// A question about rewards does not read the bills of trades, of which there may be a thousand
// times as many.
func TestRewardsAreFoundByTheirType(t *testing.T) {
	storetest.Engines(t, "the plan of a statement", testRewardsAreFoundByTheirType)
}

func testRewardsAreFoundByTheirType(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	days := affiliate.Days{First: storetest.Day - 400, Last: storetest.Day}
	var list []affiliate.Bill
	for day := days.First; day <= days.Last; day++ {
		for i := range 30 {
			b := affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprint(int(day)*100 + i), Coin: "USDT", Business: "trade_in", Amount: "1", Created: at(day, time.Duration(i)*time.Minute)}
			if i == 0 {
				b.Business = []string{"rr_agent_reward", "rake_back_reward"}[day%2]
			}
			list = append(list, b)
		}
	}
	_, err := payments.ReplaceBills(t.Context(), s, billSlice(affiliate.SpotBills, days), list)
	storetest.Done(t, err)
	filter := payments.BillFilter{Days: days, Types: []string{"rr_agent_reward", "rake_back_reward"}}
	query, args := filter.Query()
	explain := "EXPLAIN QUERY PLAN "
	if storetest.Postgres(t) {
		explain = "EXPLAIN "
	}
	rows, err := s.Readers().QueryContext(t.Context(), explain+query, args...)
	storetest.Done(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	storetest.Done(t, err)
	var plan []string
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(any)
		}
		storetest.Done(t, rows.Scan(line...))
		plan = append(plan, fmt.Sprint(*line[len(line)-1].(*any)))
	}
	storetest.Done(t, rows.Err())
	if text := strings.Join(plan, "\n"); !strings.Contains(text, "bills_by_type") {
		t.Errorf("the plan is\n%s", text)
	}
	r := storetest.Reader(t, s)
	defer r.Close()
	if n := len(all(t, payments.Bills(t.Context(), r, filter))); n != days.Len() {
		t.Errorf("%d rewards, want %d", n, days.Len())
	}
}
