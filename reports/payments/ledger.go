package payments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
)

// ledger holds the books of all accounts over all time, as known at the instant of a
// question. Which rule holds and which bill pays which period must not depend on the range or
// the filters of a page.
type ledger struct {
	lines  []PaymentLine // by time, account, coin and kind
	rules  []RuleInUse   // by account and time
	shared []Shared
	others []otherBill      // bills that no rule counts, oldest first
	coins  []affiliate.Coin // of lines, sorted
	// spellings are those of the coins that the exchange spells in several ways, by the coin of lines.
	spellings map[affiliate.Coin][]affiliate.Coin
}

// otherBill is a bill that no rule counts.
type otherBill struct {
	account  affiliate.Account
	coin     affiliate.Coin
	business string
	created  affiliate.Millis
	amount   affiliate.Number
}

// openLedger returns the ledger of the question's instant. Reports that ask in the same minute
// share it.
func openLedger(ctx context.Context, q *snapshot.Snapshot) (*ledger, error) {
	return snapshot.PartOfMinute(ctx, q, "books", q.AsOfMillis(), func(ctx context.Context) (*ledger, error) {
		wide := q.Everywhere()
		in, err := readInput(ctx, wide)
		if err != nil {
			return nil, fmt.Errorf("reading the books: %w", err)
		}
		spellings := unify(&in)
		l, err := makeLedger(ctx, wide, in)
		if err == nil {
			l.spellings = spellings
		}
		return l, err
	})
}

// unify gives each coin one spelling in the books: that of its bills, since a wallet has one, otherwise the
// one in capitals. The exchange may list commission in usdt and pay it in USDT. It returns the
// spellings of the coins that have several.
func unify(in *books.Input) map[affiliate.Coin][]affiliate.Coin {
	found := map[string][]affiliate.Coin{} // those of bills first
	see := func(coin affiliate.Coin) {
		if folded := affiliate.Folded(string(coin)); !slices.Contains(found[folded], coin) {
			found[folded] = append(found[folded], coin)
		}
	}
	bills := map[affiliate.Coin]bool{}
	for i := range in.Bills {
		see(in.Bills[i].Coin)
		bills[in.Bills[i].Coin] = true
	}
	for i := range in.Earned {
		see(in.Earned[i].Coin)
	}
	for i := range in.Changes {
		see(in.Changes[i].Coin)
	}
	several, one := map[affiliate.Coin][]affiliate.Coin{}, map[affiliate.Coin]affiliate.Coin{}
	for _, list := range found {
		if len(list) == 1 {
			continue
		}
		slices.SortFunc(list, func(a, b affiliate.Coin) int { // capitals come before other letters
			if bills[a] != bills[b] {
				return cmp.Compare(flag(bills[b]), flag(bills[a]))
			}
			return cmp.Compare(a, b)
		})
		several[list[0]] = list
		for _, coin := range list {
			one[coin] = list[0]
		}
	}
	if len(one) == 0 {
		return several
	}
	spell := func(coin *affiliate.Coin) {
		if as, ok := one[*coin]; ok {
			*coin = as
		}
	}
	for i := range in.Bills {
		spell(&in.Bills[i].Coin)
	}
	for i := range in.Earned {
		spell(&in.Earned[i].Coin)
	}
	for i := range in.Changes {
		spell(&in.Changes[i].Coin)
	}
	return several
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// spelled returns the spellings of the coin of a line.
func (l *ledger) spelled(coin affiliate.Coin) []affiliate.Coin {
	if list := l.spellings[coin]; len(list) > 0 {
		return list
	}
	return []affiliate.Coin{coin}
}

// readInput reads what the books of all accounts are made of.
func readInput(ctx context.Context, q *snapshot.Snapshot) (in books.Input, err error) {
	in.Now = affiliate.MillisOf(q.Now)
	in.Ahead = map[affiliate.Account]affiliate.Millis{}
	for _, account := range q.Known {
		if sheet := q.Sheet(account); sheet != nil && sheet.Ahead() > 0 {
			in.Ahead[account] = affiliate.Millis(sheet.Ahead().Milliseconds())
		}
	}
	hours, err := payments.Hours(ctx, q.Tx, payments.HourFilter{Days: snapshot.AllDays, AsOf: q.AsOfMillis()})
	if err != nil {
		return in, err
	}
	in.Earned = hourSums(hours)
	if in.Changes, err = readChanges(ctx, q, snapshot.AllDays, ""); err != nil {
		return in, err
	}
	if in.Bills, err = readBills(ctx, q); err != nil {
		return in, err
	}
	if in.EarnedKnown, err = known(ctx, q, coverage.ListingLag, affiliate.Commissions); err != nil {
		return in, err
	}
	in.PaidKnown, err = known(ctx, q, 0, affiliate.BillKinds()...)
	return in, err
}

const hourMillis = affiliate.Millis(time.Hour / time.Millisecond)

// hourSums lays the rows out hour by hour. Hours without commission are left out.
func hourSums(rows []payments.HourRow) []books.HourSum {
	list := make([]books.HourSum, 0, 12*len(rows))
	var none affiliate.Sum
	for i := range rows {
		row := &rows[i]
		start := affiliate.MillisOf(row.Day.Start(time.UTC))
		for hour := range row.Sums {
			if sum := row.Sums[hour]; sum.Cmp(&none) != 0 {
				list = append(list, books.HourSum{Account: row.Account, Coin: row.Coin, Source: row.Source,
					Start: start + affiliate.Millis(hour)*hourMillis, Commission: sum})
			}
		}
	}
	return list
}

// readChanges reads by how much the exchange changed commissions since their days were first
// read whole.
func readChanges(ctx context.Context, q *snapshot.Snapshot, utc affiliate.Days, account affiliate.Account) ([]books.Change, error) {
	days := affiliate.Days{First: utc.First - 1, Last: utc.Last + 1} // reporting days that contain the UTC days in any zone
	var list []books.Change
	for one, err := range records.Restatements(ctx, q.Tx, records.CommissionFilter{Days: days, Account: account, AsOf: q.AsOfMillis()}) {
		if err != nil {
			return nil, err
		}
		if change := changeOf(one); change.Difference.Cmp(new(affiliate.Sum)) != 0 {
			list = append(list, change)
		}
	}
	return list, nil
}

// changeOf returns the difference that a restatement makes. Both versions of a record agree in
// deal time, coin and source.
func changeOf(one records.Restatement) books.Change {
	of := one.Became
	if of == nil {
		of = one.Was
	}
	change := books.Change{Account: one.Account, Coin: of.Coin, Source: of.Source, Deal: of.DealTime, Noticed: one.Noticed}
	if one.Became != nil {
		change.Difference.Add(one.Became.Commission)
	}
	if one.Was != nil {
		change.Difference.Sub(one.Was.Commission)
	}
	return change
}

// trades are the business types of trades, of which an account may have very many and none of
// which is a payment.
var trades = []string{"trade_in", "trade_out", "buy_success", "sell_cancel", "sell_freeze", "sell_complete", "c2c_buy", "c2c_sell", "c2c_freeze", "c2c_unfreeze"}

// readBills reads the bills that may be payments, oldest first.
func readBills(ctx context.Context, q *snapshot.Snapshot) ([]books.Bill, error) {
	types, err := payments.BusinessTypes(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	types = slices.DeleteFunc(types, func(business string) bool { return slices.Contains(trades, business) })
	if len(types) == 0 {
		return nil, nil
	}
	var list []books.Bill
	for row, err := range payments.Bills(ctx, q.Tx, payments.BillFilter{Days: snapshot.AllDays, Types: types, AsOf: q.AsOfMillis()}) {
		if err != nil {
			return nil, err
		}
		list = append(list, books.Bill{Account: row.Account, Bill: row.Bill})
	}
	return list, nil
}

// known returns for which time all streams of the kinds are read, by account. lag is how long
// the exchange may take to list a record.
func known(ctx context.Context, q *snapshot.Snapshot, lag time.Duration, kinds ...affiliate.StreamKind) (map[affiliate.Account][]books.Stretch, error) {
	all := map[affiliate.Account][]books.Stretch{}
	for _, kind := range kinds {
		cover, err := q.ReadCoverage(ctx, kind, snapshot.AllDays)
		if err != nil {
			return nil, err
		}
		for _, account := range q.Known {
			if !cover.Has(account) {
				continue // its exchange has no such records
			}
			var list []books.Stretch
			for _, span := range cover.KnownTime(account, lag) {
				list = append(list, books.Stretch{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)})
			}
			if before, ok := all[account]; ok {
				list = common(before, list)
			}
			all[account] = list
		}
	}
	return all, nil
}

// common returns the time that lies in stretches of both lists, each in order and without
// overlaps.
func common(a, b []books.Stretch) (both []books.Stretch) {
	for len(a) > 0 && len(b) > 0 {
		if from, to := max(a[0].From, b[0].From), min(a[0].To, b[0].To); from < to {
			both = append(both, books.Stretch{From: from, To: to})
		}
		if a[0].To < b[0].To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// makeLedger finds the rules and makes the books.
func makeLedger(ctx context.Context, q *snapshot.Snapshot, in books.Input) (*ledger, error) {
	fixed, err := payments.FixedRules(ctx, q.Tx, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	l := &ledger{}
	var rules []books.Fixed
	for _, account := range q.Known {
		own, err := rulesOf(ctx, q, in, account, fixed)
		if err != nil {
			return nil, err
		}
		l.rules = append(l.rules, own...)
		for _, rule := range own {
			if rule.Known {
				rules = append(rules, books.Fixed{Account: account, From: startOf(rule.From), Rule: rule.Score.Rule})
			}
		}
	}
	made := books.Make(in, rules)
	for _, line := range made.Lines {
		l.lines = append(l.lines, PaymentLine{Line: line})
	}
	l.addUnruled(in, made.Counted)
	if err := l.join(ctx, q); err != nil {
		return nil, err
	}
	for _, hint := range made.Hints {
		l.shared = append(l.shared, Shared{Payment: l.noted(made.Lines[hint.Payment]), Missing: l.noted(made.Lines[hint.Missing])})
	}
	l.others = othersOf(in.Bills, made.Counted)
	coins := map[affiliate.Coin]bool{}
	for i := range l.lines {
		coins[l.lines[i].Coin] = true
	}
	l.coins = slices.Sorted(maps.Keys(coins))
	return l, nil
}

// startOf returns the beginning of a UTC day; that of no day is 0.
func startOf(day affiliate.Day) affiliate.Millis {
	if day == 0 {
		return 0
	}
	return affiliate.MillisOf(day.Start(time.UTC))
}

// addUnruled adds lines for the accounts without a rule: what was earned, by UTC day, is
// pending, since nobody can say when it is due; and payments belong to no period. So the sums
// of the lines close for these accounts too.
func (l *ledger) addUnruled(in books.Input, counted []books.Bill) {
	unruled := map[affiliate.Account]bool{}
	for _, rule := range l.rules {
		unruled[rule.Account] = unruled[rule.Account] || rule.Known
	}
	type key struct {
		account affiliate.Account
		coin    affiliate.Coin
		from    affiliate.Millis
	}
	at := map[key]int{}
	for i := range in.Earned {
		hour := &in.Earned[i]
		if unruled[hour.Account] {
			continue
		}
		from, to := books.Day.AroundIn(hour.Start, in.Ahead[hour.Account])
		of := key{hour.Account, hour.Coin, from}
		n, ok := at[of]
		if !ok {
			n = len(l.lines)
			at[of] = n
			l.lines = append(l.lines, PaymentLine{Line: books.Line{From: from, To: to, Account: hour.Account, Coin: hour.Coin, Kind: books.All, State: books.Pending}})
		}
		l.lines[n].Earned.AddSum(hour.Commission)
		l.lines[n].WhenPaid = l.lines[n].Earned
	}
	for _, bill := range counted {
		if unruled[bill.Account] {
			continue
		}
		line := PaymentLine{Line: books.Line{From: bill.Created, To: bill.Created, Account: bill.Account, Coin: bill.Coin, Kind: books.All,
			Due: bill.Created, State: books.Unexplained, Bills: []books.Bill{bill}}}
		line.Paid.Add(bill.Amount)
		l.lines = append(l.lines, line)
	}
	slices.SortStableFunc(l.lines, func(a, b PaymentLine) int { return compareLines(&a, &b) })
}

// compareLines is the order of lines by time. No two lines are equal in it, except for bills
// of the same instant and id.
func compareLines(a, b *PaymentLine) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Coin, b.Coin),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key().Bill, b.Key().Bill))
}

// join gives the lines their notes.
func (l *ledger) join(ctx context.Context, q *snapshot.Snapshot) error {
	notes, err := payments.Notes(ctx, q.Tx, q.AsOfMillis())
	if err != nil || len(notes) == 0 {
		return err
	}
	of := map[payments.LineKey][]payments.Note{}
	for _, n := range notes {
		of[n.Line] = append(of[n.Line], n)
	}
	for i := range l.lines {
		l.lines[i].Notes = of[l.lines[i].Key()]
	}
	return nil
}

// find returns the line of a key, or false if there is none.
func (l *ledger) find(key payments.LineKey) (PaymentLine, bool) {
	first, _ := slices.BinarySearchFunc(l.lines, key.From, func(line PaymentLine, from affiliate.Millis) int { return cmp.Compare(line.From, from) })
	for i := first; i < len(l.lines) && l.lines[i].From == key.From; i++ {
		if l.lines[i].Key() == key {
			return l.lines[i], true
		}
	}
	return PaymentLine{}, false
}

// noted returns a line of the books as the ledger has it, with its notes.
func (l *ledger) noted(line books.Line) PaymentLine {
	plain := PaymentLine{Line: line}
	if found, ok := l.find(plain.Key()); ok {
		return found
	}
	return plain
}

// othersOf returns the bills that are not counted. Both lists are ordered by time.
func othersOf(all, counted []books.Bill) []otherBill {
	left := map[books.Bill]int{}
	for _, bill := range counted {
		left[bill]++
	}
	var others []otherBill
	for _, bill := range all {
		if left[bill] > 0 {
			left[bill]--
			continue
		}
		others = append(others, otherBill{bill.Account, bill.Coin, bill.Business, bill.Created, bill.Amount})
	}
	return others
}
