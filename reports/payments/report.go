package payments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// Report compares what the exchange says was earned with what it paid.
//
// Its days are UTC days, in which the exchange counts, so its Query is in UTC. The range has
// every line of which a part of the period lies in it, with the sums of the whole period, and
// every payment without a period that arrived in it.
type Report struct {
	Query  query.Query
	Zone   *time.Location     // of the reporting days of the other reports
	Now    affiliate.Millis   // of the requested state: what is due is due by then
	Earned coverage.Coverage  // of the commissions of the range
	Paid   coverage.Coverage  // of the bills of both wallets in the range
	Empty  coverage.EmptyKind // not "" when there are no lines

	// Refused are the streams of bills and transfers that the exchange does not give to the
	// accounts of the query, or not for all days.
	Refused []payments.Refusal
	// Rules are the rules in use, by account and time. Each account has at least one.
	Rules []RuleInUse
	// Shared are payments without a period that are exactly what another account lacks: two
	// accounts may be paid into one. At least one of the two accounts is that of the query.
	Shared []Shared

	Totals   []Totals            // over all lines of the query, by coin: the one with most lines first
	InRange  []CoinBalance       // over all lines of the query; by coin, the one with most outstanding lines first
	Balances []CoinBalance       // over all time, under the filters of account, coin and kind; in the same order
	Running  []RunningSums       // over the range, under the filters of account, coin and kind; in the order of Totals
	States   map[books.State]int // lines of the range, under the filters of account, coin and kind
	Others   []OtherBills        // bills of the range that no rule counts, under the filters of account and coin

	// Prices convert sums of several coins, at the prices of today.
	Prices figures.Prices

	Lines   []PaymentLine // one page, in the order of the query
	Count   int           // of lines
	Pages   int           // at least 1
	Options snapshot.Options
}

// RuleSource says where a rule comes from.
type RuleSource string

// Sources of rules, by their names in the output of programs.
const (
	RuleFound RuleSource = "auto" // in the data
	RuleSet   RuleSource = "set"  // by the setting, or by hand
)

// RuleInUse is the payout rule of an account from a day on.
type RuleInUse struct {
	Account affiliate.Account
	From    affiliate.Day // UTC day of its first period; 0: it is the first rule, and holds for all days before the next one
	Source  RuleSource
	// Known is false if no rule explains enough of the payments. Score is then the best try,
	// which is not used: another rule of the account holds instead. If it has none, its lines
	// are only pending days and unexplained payments.
	Known bool
	Score books.Score // the rule with what it explains
	// RunnerUp is the best rule with another period or another way to join the kinds. If the
	// rule was set, it is the one that would have been found. It is nil if there is none, or
	// if that is the rule itself.
	RunnerUp *books.Score
	Fixed    *payments.FixedRule // by whom and when it was fixed by hand; nil: it was not
}

// Accepted are the parameters of the report and of its files.
var Accepted = query.AcceptedParams{
	Taken: []string{"range", "from", "to", "account", "coin", "kind", "part", "state", "q", "sort", "page", "per", "as_of"},
	Sorts: Sorts,
	Order: query.Sort{Field: "period", Descending: true},
	Usual: query.Last90,
	Own: []query.Own{query.Declare(query.Own{Name: "kind", Words: "Only this kind.", Filters: true, Label: "Kind",
		Choices: []string{string(books.Direct), string(books.Sub), string(books.All)}}), partParam},
	States: stateNames(),
}

// Foreign lists the parameters by which payments and bills cannot be narrowed.
var Foreign = []string{"product", "uid", "symbol", "source", "code", "segment"}

// States lists the states of lines in the order in which the filter offers them.
func States() []books.State {
	return []books.State{books.Missing, books.Short, books.Late, books.Twice, books.Over, books.Unexplained, books.Pending, books.Matched}
}

func stateNames() (names []string) {
	for _, state := range States() {
		names = append(names, string(state))
	}
	return names
}

// Make answers the query for one page of what was earned against what was paid. It takes
// [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	if err := q.Refuse(Foreign, "cannot be used here: payments have no such field"); err != nil {
		return Report{}, err
	}
	view := Report{Zone: q.Zone, Now: affiliate.MillisOf(q.Now)}
	days := q
	q, err := q.InUTC(ctx)
	if err != nil {
		return view, err
	}
	view.Query = q.Query
	books, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	view.Options = optionsOf(q, books.coins)
	if view.Prices, err = days.Prices(ctx, books.coins); err != nil {
		return view, err
	}
	if view.Earned, view.Paid, err = sides(ctx, q); err != nil {
		return view, err
	}
	if view.Refused, err = refused(ctx, q); err != nil {
		return view, err
	}
	books.describe(q, &view)
	lines := books.selected(q)
	view.Totals, view.InRange, view.Count = totalsOf(lines), books.balancesOf(lines, view.Now), len(lines)
	view.Pages = max(1, (len(lines)+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	if len(lines) == 0 {
		view.Empty, err = books.whyEmpty(ctx, q, view.Earned.With(view.Paid))
		return view, err
	}
	sortLines(lines, q.Sort)
	first := (q.Page - 1) * q.Per
	view.Lines = values(lines[first:min(first+q.Per, len(lines))])
	return view, nil
}

// sides returns how far both sides of the books are collected in the range: what was earned,
// and what was paid.
func sides(ctx context.Context, q *snapshot.Snapshot) (earned, paid coverage.Coverage, err error) {
	for _, of := range []struct {
		kinds []affiliate.StreamKind
		sum   *coverage.Coverage
	}{{[]affiliate.StreamKind{affiliate.Commissions}, &earned}, {affiliate.BillKinds(), &paid}} {
		begun := false
		for _, kind := range of.kinds {
			cover, err := q.ReadCoverage(ctx, kind, q.Days)
			if err != nil {
				return earned, paid, err
			}
			if len(cover.Streams) == 0 {
				continue // no exchange of the question has such records
			}
			if summary := cover.Summary(q.Days); !begun {
				begun = true
				*of.sum = summary
			} else {
				*of.sum = of.sum.With(summary)
			}
		}
	}
	if earned.LastRun, err = q.NewestRun(ctx); err != nil {
		return earned, paid, err
	}
	paid.LastRun = earned.LastRun
	return earned, paid, nil
}

// refused returns the refused streams of the query's accounts that belong to the books.
func refused(ctx context.Context, q *snapshot.Snapshot) ([]payments.Refusal, error) {
	list, err := payments.Refusals(ctx, q.Tx)
	return slices.DeleteFunc(list, func(r payments.Refusal) bool {
		return !r.Stream.Money() || !slices.Contains(q.Accounts, r.Account)
	}), err
}

// Options returns the values by which files of payments and bills can be narrowed. The page,
// which is for readers without the right to bills too, offers only coins of lines.
func Options(ctx context.Context, q *snapshot.Snapshot) (snapshot.Options, error) {
	books, err := openLedger(ctx, q)
	if err != nil {
		return snapshot.Options{}, err
	}
	coins := slices.Clone(books.coins)
	for i := range books.others {
		coins = append(coins, books.others[i].coin)
	}
	slices.Sort(coins)
	return optionsOf(q, slices.Compact(coins)), nil
}

// optionsOf returns what the filters offer, with a list of the coins.
func optionsOf(q *snapshot.Snapshot, coins []affiliate.Coin) snapshot.Options {
	o := snapshot.Options{Accounts: q.Known, Coins: coins}
	if q.Coin == "" || slices.Contains(coins, q.Coin) { // a coin may contain a comma
		return o
	}
	for _, coin := range affiliate.Choices(q.Coin) {
		if !slices.Contains(coins, coin) {
			o.Unknown = append(o.Unknown, fmt.Sprintf("Nothing in the coin %q is stored here.", coin))
		}
	}
	return o
}

// whyEmpty returns why there are no lines.
func (l *ledger) whyEmpty(ctx context.Context, q *snapshot.Snapshot, covered coverage.Coverage) (coverage.EmptyKind, error) {
	if q.Filtered() {
		bare := *q
		bare.Query = q.WithoutFilters()
		if len(l.selected(&bare)) > 0 {
			return coverage.EmptyFiltered, nil
		}
	}
	return q.WhyNothing(ctx, covered)
}

// Totals are the sums of the lines of one coin. Earned, Paid and Difference are exact:
// Difference = Paid − Earned, as in every line.
type Totals struct {
	Coin       affiliate.Coin
	Lines      int
	Open       int // of them, see [PaymentLine.Open]
	Earned     affiliate.Sum
	Paid       affiliate.Sum
	Difference affiliate.Sum
}

// CoinBalance is what some lines of one coin lack, and what was paid too much for others.
type CoinBalance struct {
	Totals
	Outstanding affiliate.Sum // due and not paid: of the open lines
	Grown       affiliate.Sum // the part of Outstanding that the exchange added after it had paid, see [books.Line.Grown]
	// Excess is what was paid twice, too much or for no period, see [books.Line.Excess]; lines that
	// a user has accepted, and those of accounts without a rule, are left out.
	Excess  affiliate.Sum
	Pending affiliate.Sum // still to be paid for lines that are pending, see [books.Line.Awaited]
	Oldest  *PaymentLine  // the open line that has been due longest; nil: none is open
	Ageing  []Age         // of Outstanding, youngest first; always all of [books.AgeBuckets]
}

// Age is what has been outstanding for some days.
type Age struct {
	books.AgeBucket
	Lines int
	Sum   affiliate.Sum
}

// RunningSums are what was earned and paid of one coin up to each day, from the beginning of the
// range. A payment counts on the day of the period that it pays for, so the gap between the
// two is what is missing or not due yet.
type RunningSums struct {
	Coin   affiliate.Coin
	Points []RunningPoint // for each UTC day of the range with a line, oldest first
}

// RunningPoint is the state at the end of the periods that begin on a day.
type RunningPoint struct {
	Day          affiliate.Day
	Earned, Paid affiliate.Sum
	Pending      bool // a period of the day is pending
}

// Shared is a payment without a period and a missing period of another account, with
// the same coin and amount.
type Shared struct{ Payment, Missing PaymentLine }

// OtherBills are the bills of one business type and coin that no rule counts.
type OtherBills struct {
	Business string
	Coin     affiliate.Coin
	Bills    int
	Sum      affiliate.Sum // of the changes of the balance
}

// PaymentLine is a line of the books with what people wrote about it.
type PaymentLine struct {
	books.Line
	Notes []payments.Note // newest first
}

// Key identifies the line.
func (l *PaymentLine) Key() payments.LineKey {
	key := payments.LineKey{Account: l.Account, Coin: l.Coin, Kind: string(l.Kind), From: l.From, To: l.To}
	if l.From == l.To && len(l.Bills) > 0 {
		key.Bill = string(l.Bills[0].Wallet) + " " + l.Bills[0].ID
	}
	return key
}

// Verdict returns what was decided about the line: the newest verdict of its notes, where
// "open" counts as none.
func (l *PaymentLine) Verdict() payments.Verdict {
	for _, n := range l.Notes {
		switch n.Verdict {
		case payments.NoVerdict:
		case payments.Reopened:
			return payments.NoVerdict
		default:
			return n.Verdict
		}
	}
	return payments.NoVerdict
}

// Open reports whether money is due that was not paid, and nobody has accepted that.
func (l *PaymentLine) Open() bool {
	unpaid := l.Unpaid()
	return unpaid.Cmp(new(affiliate.Sum)) > 0 && l.Verdict() != payments.Accepted
}

// Outstanding returns what is due and was not paid; zero unless the line is open.
func (l *PaymentLine) Outstanding() (sum affiliate.Sum) {
	if l.Open() {
		sum = l.Unpaid()
	}
	return sum
}

// excess returns what was paid too much of a line; zero if a user has accepted that.
func (l *PaymentLine) excess() (sum affiliate.Sum) {
	if l.Verdict() != payments.Accepted {
		sum = l.Excess()
	}
	return sum
}

// Detail is one line with what is behind it.
type Detail struct {
	Query   query.Query // in UTC
	Zone    *time.Location
	Now     affiliate.Millis
	Line    PaymentLine
	Rule    RuleInUse // of the period
	Hours   []HourEarned
	Changes []books.Change // of the commission, noticed after its day was first read whole; oldest first
	// Transfers are those of the same coin and account since the first payment of the line,
	// until the end of the day after its last one.
	Transfers []payments.TransferRow
	Refused   []payments.Refusal // of the account
	// Records are the reporting days that the period touches, for the page of commissions.
	// They are exactly the period only if Exact.
	Records affiliate.Days
	Exact   bool
	Coins   affiliate.Coin // the filter for the records: the coin in each of its spellings
}

// HourEarned is the commission of one UTC hour of the line.
type HourEarned struct {
	Start  affiliate.Millis
	Source affiliate.Source
	Sum    affiliate.Sum
}
