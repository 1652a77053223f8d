package payments

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// Income is the commission that arrived, by the time of receipt: each bill that the books count, worth what
// its coin was worth on the day on which it arrived. Its days, months and years are those of the reporting zone.
type Income struct {
	Query   query.Query
	Paid    coverage.Coverage // of the bills of both wallets in the range
	Refused []payments.Refusal
	Empty   coverage.EmptyKind // not "" when there are no bills
	Total   IncomeSum          // of all bills of the query
	Years   []IncomeYear       // newest first
	Bills   []Receipt          // one page, newest first
	Pages   int                // at least 1
	Options snapshot.Options
}

// IncomeYear is the income of a calendar year.
type IncomeYear struct {
	IncomeSum
	Months []IncomeSum // newest first; none without a bill
}

// IncomeSum is the income of some days.
type IncomeSum struct {
	Days  affiliate.Days // in the range of the query
	Bills int
	Coins []CoinIncome
	Worth figures.Valuation // the exact sum of the values of the bills
	Blank int               // bills whose amount is not known, which add nothing
}

// CoinIncome is the income in one coin.
type CoinIncome struct {
	Coin  affiliate.Coin
	Bills int
	Sum   affiliate.Sum     // of the amounts; bills that take back are negative
	Worth figures.Valuation // of this coin alone
}

// Receipt is a bill that pays commission, with what it pays and what it was worth.
type Receipt struct {
	books.Bill
	Line  *PaymentLine     // that it pays
	Day   affiliate.Day    // on which it arrived, in the reporting zone
	Local time.Time        // when it arrived, in the reporting zone
	Price PriceKind        // where Rate comes from
	Rate  figures.DayRate  // of the day; of par and no price only the price
	Value affiliate.Number // Amount at the price, by [affiliate.Times], in [figures.ValuedIn]; unknown without a price or an amount
}

// PriceKind says of which time the price of a receipt is.
type PriceKind string

// Kinds of prices, by their names in exports.
const (
	PriceOwn      PriceKind = "own"      // of the day of receipt
	PriceImported PriceKind = "imported" // imported for the day of receipt, which has none of its own
	PriceEarlier  PriceKind = "earlier"  // the newest from before the day, which has none
	PriceLater    PriceKind = "later"    // the oldest known one: the day precedes all prices
	PricePar      PriceKind = "par"      // 1: the coin is the one in which values are told
	PriceNone     PriceKind = "none"     // no price of the coin is known
)

var priceKinds = map[figures.RateKind]PriceKind{figures.RateOwn: PriceOwn, figures.RateImported: PriceImported, figures.RateEarlier: PriceEarlier, figures.RateFirst: PriceLater}

// WhyNoValue says why the value is unknown; empty if it is known.
func (r *Receipt) WhyNoValue() string {
	switch {
	case r.Value.Known():
		return ""
	case !r.Amount.Known():
		return "the exchange tells no amount"
	}
	return "no price of " + string(r.Coin) + " is known"
}

// Period returns the period that the bill pays; both are unknown for a bill that pays none.
func (r *Receipt) Period() (from, to affiliate.Millis) {
	if r.Line.From == r.Line.To {
		return 0, 0
	}
	return r.Line.From, r.Line.To
}

// AcceptedOfIncome are the parameters of the income and of its files.
var AcceptedOfIncome = query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "coin", "page", "per", "as_of"}, Usual: query.AllTime}

// MakeIncome returns the income of the query, by month and year, and one page of its bills.
func MakeIncome(ctx context.Context, q *snapshot.Snapshot) (Income, error) {
	view := Income{Query: q.Query, Pages: 1}
	if err := q.Refuse(Foreign, "cannot be used here: payments have no such field"); err != nil {
		return view, err
	}
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	view.Options = optionsOf(q, ledger.coins)
	if _, view.Paid, err = sides(ctx, q); err != nil {
		return view, err
	}
	if view.Refused, err = refused(ctx, q); err != nil {
		return view, err
	}
	list, err := ledger.receipts(ctx, q)
	if err != nil {
		return view, err
	}
	view.Pages = max(1, (len(list)+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	view.Total = sumOf(q.Days, list)
	if len(list) == 0 {
		view.Empty, err = ledger.whyNoIncome(ctx, q, view.Paid)
		return view, err
	}
	view.Years = yearsOf(q, list)
	slices.Reverse(list)
	first := (q.Page - 1) * q.Per
	view.Bills = list[first:min(first+q.Per, len(list))]
	return view, nil
}

// whyNoIncome returns why no bill arrived.
func (l *ledger) whyNoIncome(ctx context.Context, q *snapshot.Snapshot, paid coverage.Coverage) (coverage.EmptyKind, error) {
	if q.Filtered() {
		bare := *q
		bare.Query = q.WithoutFilters()
		if list, err := l.receipts(ctx, &bare); err != nil || len(list) > 0 {
			return coverage.EmptyFiltered, err
		}
	}
	return q.WhyNothing(ctx, paid)
}

// receipts returns the bills of the lines that arrived within the query's days, oldest first, with their values.
func (l *ledger) receipts(ctx context.Context, q *snapshot.Snapshot) ([]Receipt, error) {
	narrow, all, within := narrowTo(q.Query), q.Range == query.AllTime, q.Days.Range(q.Zone)
	var list []Receipt
	for i := range l.lines {
		line := &l.lines[i]
		if !narrow(line) {
			continue
		}
		for _, bill := range line.Bills {
			if local := bill.Created.Time().In(q.Zone); all || within.Contains(bill.Created) {
				list = append(list, Receipt{Bill: bill, Line: line, Day: affiliate.DayOf(local, q.Zone), Local: local})
			}
		}
	}
	slices.SortFunc(list, func(a, b Receipt) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Coin, b.Coin),
			cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.ID, b.ID))
	})
	return list, value(ctx, q, list)
}

// value gives the bills their prices and values.
func value(ctx context.Context, q *snapshot.Snapshot, list []Receipt) error {
	days := map[affiliate.Coin][]affiliate.Day{}
	for i := range list {
		if r := &list[i]; !slices.Contains(days[r.Coin], r.Day) {
			days[r.Coin] = append(days[r.Coin], r.Day)
		}
	}
	known := map[affiliate.Coin]map[affiliate.Day]figures.DayRate{}
	for coin, of := range days {
		if coin == figures.ValuedIn {
			continue
		}
		slices.Sort(of)
		rates, err := q.DayRates(ctx, coin, of)
		if err != nil {
			return err
		}
		known[coin] = map[affiliate.Day]figures.DayRate{}
		for _, rate := range rates {
			known[coin][rate.Day] = rate
		}
	}
	for i := range list {
		r := &list[i]
		if rate, ok := known[r.Coin][r.Day]; ok {
			r.Price, r.Rate = priceKinds[rate.Kind], rate
		} else if r.Coin == figures.ValuedIn {
			r.Price, r.Rate = PricePar, figures.DayRate{Day: r.Day, Price: "1"}
		} else {
			r.Price = PriceNone
		}
		if r.Amount.Known() && r.Rate.Price.Known() {
			r.Value = affiliate.Number(affiliate.Times(r.Amount.Decimal(), r.Rate.Price.Decimal()).String())
		}
	}
	return nil
}

// yearsOf adds up bills by calendar year and month; the bills are ordered by time.
func yearsOf(q *snapshot.Snapshot, list []Receipt) (years []IncomeYear) {
	type month struct {
		year  int
		month time.Month
	}
	of := func(r *Receipt) month {
		year, m, _ := r.Day.Date()
		return month{year, m}
	}
	for len(list) > 0 {
		year := of(&list[0]).year
		end := firstOf(list, func(r *Receipt) bool { return of(r).year != year })
		one := IncomeYear{IncomeSum: sumOf(within(q, affiliate.NewDay(year, time.January, 1), affiliate.NewDay(year+1, time.January, 1)-1), list[:end])}
		for rest := list[:end]; len(rest) > 0; {
			m := of(&rest[0])
			n := firstOf(rest, func(r *Receipt) bool { return of(r) != m })
			one.Months = append(one.Months, sumOf(within(q, affiliate.NewDay(year, m.month, 1), affiliate.NewDay(year, m.month+1, 1)-1), rest[:n]))
			rest = rest[n:]
		}
		slices.Reverse(one.Months)
		years, list = append(years, one), list[end:]
	}
	slices.Reverse(years)
	return years
}

// firstOf returns the place of the first bill of which something is true, or the end of the list.
func firstOf(list []Receipt, is func(*Receipt) bool) int {
	for i := range list {
		if is(&list[i]) {
			return i
		}
	}
	return len(list)
}

// within returns the part of some days that lies in the query. All time has no beginning: bills may precede all
// that is collected.
func within(q *snapshot.Snapshot, first, last affiliate.Day) affiliate.Days {
	if q.Range == query.AllTime {
		return affiliate.Days{First: first, Last: max(first, min(last, q.Days.Last))}
	}
	return affiliate.Days{First: max(first, q.Days.First), Last: min(last, q.Days.Last)}
}

// sumOf adds up bills.
func sumOf(days affiliate.Days, list []Receipt) IncomeSum {
	sum := IncomeSum{Days: days, Bills: len(list)}
	for i := range list {
		if !list[i].Amount.Known() {
			sum.Blank++
		}
	}
	at := map[affiliate.Coin][]*Receipt{}
	for i := range list {
		at[list[i].Coin] = append(at[list[i].Coin], &list[i])
	}
	for coin, bills := range at {
		one := coinIncomeOf(coin, bills)
		sum.Coins = append(sum.Coins, one)
		for _, valued := range one.Worth.Coins {
			sum.Worth.Add(valued)
		}
		sum.Worth.Missing = append(sum.Worth.Missing, one.Worth.Missing...)
	}
	sum.Worth.Order()
	slices.SortFunc(sum.Coins, func(a, b CoinIncome) int {
		return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), cmp.Compare(a.Coin, b.Coin))
	})
	return sum
}

// coinIncomeOf adds up the bills of one coin, which are ordered by time.
func coinIncomeOf(coin affiliate.Coin, bills []*Receipt) CoinIncome {
	one := CoinIncome{Coin: coin, Bills: len(bills)}
	valued, unpriced := figures.ValuedCoin{Sum: affiliate.Amount{Coin: coin}}, affiliate.Amount{Coin: coin}
	any := false
	for _, r := range bills {
		if !r.Amount.Known() {
			continue
		}
		one.Sum.Add(r.Amount)
		if !r.Value.Known() {
			unpriced.Value = unpriced.Value.Add(r.Amount.Decimal())
			continue
		}
		any = true
		valued.Sum.Value, valued.Value = valued.Sum.Value.Add(r.Amount.Decimal()), valued.Value.Add(r.Value.Decimal())
		if n := len(valued.Days); r.Price != PricePar && (n == 0 || valued.Days[n-1].Day != r.Day) {
			valued.Days = append(valued.Days, r.Rate)
		}
	}
	if any {
		one.Worth.Add(valued)
	}
	if !unpriced.Value.Equal(decimal.Zero) {
		one.Worth.Missing = []affiliate.Amount{unpriced}
	}
	return one
}

// The columns of the export are fixed, because other programs read them.
var incomeColumns = []export.Column[Receipt]{
	export.TimeColumn("received_utc", func(r *Receipt) affiliate.Millis { return r.Created }).Means("When the bill arrived, UTC."),
	export.TextColumn("received_local", func(r *Receipt) string { return r.Local.Format("2006-01-02T15:04:05.000Z07:00") }).Means("The same in the reporting zone, with its distance from UTC."),
	export.TextColumn("account", func(r *Receipt) affiliate.Account { return r.Account }),
	export.CoinColumn("coin", func(r *Receipt) affiliate.Coin { return r.Coin }),
	export.AmountColumn("amount", func(r *Receipt) affiliate.Number { return r.Amount }).Means("What arrived, in coin; negative if the exchange took it back."),
	export.AmountColumn("value_usdt", func(r *Receipt) affiliate.Number { return r.Value }).Means("amount × price_usdt, to 18 decimals, half to even; empty if the amount or the price is not known."),
	export.DecimalColumn("price_usdt", func(r *Receipt) affiliate.Number { return r.Rate.Price }).Means("Price of one coin on the reporting day of receipt, in USDT; empty if none is known."),
	export.TextColumn("price_kind", func(r *Receipt) PriceKind { return r.Price }).Means("own: of the day of receipt; imported: imported for that day; earlier: the newest before the day, which has none; later: the oldest known one, after the day; par: the coin is USDT; none."),
	export.TimeColumn("price_time_utc", func(r *Receipt) affiliate.Millis { return r.Rate.At }).Means("When the price was read, UTC."),
	export.TextColumn("price_source", func(r *Receipt) string { return r.Rate.Source }).Means("Where the price was read."),
	export.TextColumn("no_value", (*Receipt).WhyNoValue).Means("Why value_usdt is empty."),
	export.TextColumn("wallet", func(r *Receipt) affiliate.Wallet { return r.Wallet }).Means("spot or funding."),
	export.TextColumn("bill_id", func(r *Receipt) string { return r.ID }),
	export.TextColumn("business_type", func(r *Receipt) string { return r.Business }).Means("Type of the bill, as the exchange names it."),
	export.TextColumn("kind", func(r *Receipt) books.Kind { return r.Line.Kind }).Means("direct, sub or all."),
	export.TimeColumn("period_from_utc", func(r *Receipt) affiliate.Millis { from, _ := r.Period(); return from }).Means("First instant of the period that it pays, UTC; empty if it pays no known period."),
	export.TimeColumn("period_to_utc", func(r *Receipt) affiliate.Millis { _, to := r.Period(); return to }).Means("End of the period, UTC, not included."),
}

// IncomeFile is the file of income at receipt.
var IncomeFile = incomeKind("income", "Income",
	"Each bill that paid commission, when it arrived, and what it was worth on that day.", incomeColumns, func(*Receipt) bool { return true })

// incomeKind returns a file of the bills of the income that it takes.
func incomeKind(name, title, about string, columns []export.Column[Receipt], takes func(*Receipt) bool) *export.Kind {
	return &export.Kind{Name: name, Title: title, Stream: affiliate.SpotBills, About: about,
		Columns: export.Infos(columns), Covered: billsCovered, Foreign: Foreign, Options: Options,
		Table: func(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
			ledger, err := openLedger(ctx, q)
			if err != nil {
				return export.Table{}, err
			}
			list, err := ledger.receipts(ctx, q)
			if err != nil {
				return export.Table{}, err
			}
			list = slices.DeleteFunc(list, func(r Receipt) bool { return !takes(&r) })
			return export.TableOf(columns, export.Each(list)), nil
		},
	}
}
