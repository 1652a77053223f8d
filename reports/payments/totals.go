package payments

import (
	"cmp"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/snapshot"
)

// describe adds to a report what the lines of its range and of all time say together.
func (l *ledger) describe(q *snapshot.Snapshot, view *Report) {
	narrow, days := narrowTo(q.Query), rangeOf(q)
	var all, ranged []*PaymentLine
	view.States = map[books.State]int{}
	for i := range l.lines {
		if line := &l.lines[i]; narrow(line) {
			all = append(all, line)
			if days.touches(line) {
				ranged = append(ranged, line)
				view.States[line.State]++
			}
		}
	}
	view.Rules = l.rulesOf(q.Accounts)
	for _, shared := range l.shared {
		if slices.Contains(q.Accounts, shared.Payment.Account) || slices.Contains(q.Accounts, shared.Missing.Account) {
			view.Shared = append(view.Shared, shared)
		}
	}
	view.Balances = l.balancesOf(all, view.Now)
	view.Running = runningSums(ranged, q.Days.First)
	view.Others = l.othersIn(q)
}

// byCoin sorts lines by coin, the coin with most lines first.
func byCoin(lines []*PaymentLine) (coins []affiliate.Coin, of map[affiliate.Coin][]*PaymentLine) {
	of = map[affiliate.Coin][]*PaymentLine{}
	for _, line := range lines {
		if of[line.Coin] == nil {
			coins = append(coins, line.Coin)
		}
		of[line.Coin] = append(of[line.Coin], line)
	}
	slices.SortFunc(coins, func(a, b affiliate.Coin) int { return cmp.Or(cmp.Compare(len(of[b]), len(of[a])), cmp.Compare(a, b)) })
	return coins, of
}

func totalsOf(lines []*PaymentLine) (list []Totals) {
	coins, of := byCoin(lines)
	for _, coin := range coins {
		list = append(list, totalOf(coin, of[coin]))
	}
	return list
}

func totalOf(coin affiliate.Coin, lines []*PaymentLine) Totals {
	total := Totals{Coin: coin, Lines: len(lines)}
	for _, line := range lines {
		total.Earned.AddSum(line.Earned)
		total.Paid.AddSum(line.Paid)
		if line.Open() {
			total.Open++
		}
	}
	total.Difference = total.Paid
	total.Difference.AddSum(total.Earned.Negated())
	return total
}

func (l *ledger) balancesOf(lines []*PaymentLine, now affiliate.Millis) (list []CoinBalance) {
	coins, of := byCoin(lines)
	for _, coin := range coins {
		list = append(list, l.balanceOf(coin, of[coin], now))
	}
	slices.SortStableFunc(list, func(a, b CoinBalance) int { return cmp.Compare(b.Open, a.Open) })
	return list
}

func (l *ledger) balanceOf(coin affiliate.Coin, lines []*PaymentLine, now affiliate.Millis) CoinBalance {
	balance := CoinBalance{Totals: totalOf(coin, lines)}
	for _, bucket := range books.AgeBuckets() {
		balance.Ageing = append(balance.Ageing, Age{AgeBucket: bucket})
	}
	for _, line := range lines {
		balance.Pending.AddSum(line.Awaited())
		if line.State != books.Unexplained || l.ruled(line.Account) {
			balance.Excess.AddSum(line.excess())
		}
		if !line.Open() {
			continue
		}
		if balance.Oldest == nil || line.Due < balance.Oldest.Due {
			oldest := *line
			balance.Oldest = &oldest
		}
		unpaid := line.Unpaid()
		balance.Outstanding.AddSum(unpaid)
		balance.Grown.AddSum(line.Grown())
		for i := range balance.Ageing {
			if age := &balance.Ageing[i]; age.Contains(max(1, line.Age(now))) {
				age.Lines++
				age.Sum.AddSum(unpaid)
			}
		}
	}
	return balance
}

// runningSums adds up lines in order of time. Periods that began before the first day count on
// that day.
func runningSums(lines []*PaymentLine, first affiliate.Day) (list []RunningSums) {
	coins, of := byCoin(lines)
	for _, coin := range coins {
		sums := RunningSums{Coin: coin}
		var earned, paid affiliate.Sum
		for _, line := range of[coin] {
			earned.AddSum(line.Earned)
			paid.AddSum(line.Paid)
			day := max(first, affiliate.DayOf(line.From.Time(), time.UTC))
			n := len(sums.Points) - 1
			if n < 0 || sums.Points[n].Day != day {
				sums.Points = append(sums.Points, RunningPoint{Day: day})
				n++
			}
			point := &sums.Points[n]
			point.Earned, point.Paid = earned, paid
			point.Pending = point.Pending || line.State == books.Pending
		}
		list = append(list, sums)
	}
	return list
}

// othersIn adds up the bills of the query's days that no rule counts, by business type and
// coin.
func (l *ledger) othersIn(q *snapshot.Snapshot) (list []OtherBills) {
	days, coins := spanOf(q.Days), affiliate.Asked(q.Coin)
	type key struct {
		business string
		coin     affiliate.Coin
	}
	at := map[key]int{}
	for i := range l.others {
		bill := &l.others[i]
		if !days.contains(bill.created) || !slices.Contains(q.Accounts, bill.account) || q.Coin != "" && !slices.Contains(coins, bill.coin) {
			continue
		}
		of := key{bill.business, bill.coin}
		n, ok := at[of]
		if !ok {
			n = len(list)
			at[of] = n
			list = append(list, OtherBills{Business: bill.business, Coin: bill.coin})
		}
		list[n].Bills++
		list[n].Sum.Add(bill.amount)
	}
	slices.SortFunc(list, func(a, b OtherBills) int {
		return cmp.Or(cmp.Compare(a.Business, b.Business), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}
