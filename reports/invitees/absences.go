package invitees

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// pastAbsence is an invitee that was silent or slowing when a month began, with what it used to
// bring in one coin in [PresentDays], and what it brought in that month, by as many days.
type pastAbsence struct {
	estimate.PastAbsence
	coin affiliate.Coin
}

// PastAbsences are those who were silent or slowing when earlier months began, and what became
// of them.
type PastAbsences struct {
	outcomes map[affiliate.Coin][]estimate.PastAbsence
	trials   map[affiliate.Coin]LossTrials
}

// OutcomesIn returns the outcomes in a coin.
func (p *PastAbsences) OutcomesIn(coin affiliate.Coin) []estimate.PastAbsence {
	if p == nil {
		return nil
	}
	return p.outcomes[coin]
}

// TrialsIn returns the trials of the estimate in a coin.
func (p *PastAbsences) TrialsIn(coin affiliate.Coin) LossTrials {
	if p == nil {
		return LossTrials{}
	}
	return p.trials[coin]
}

// LossTrials counts the months in which the estimate of a loss was tested, and those in which its
// range held.
type LossTrials struct{ Tested, Hits int }

const (
	pastMonths   = 12               // most months of which absences are read
	rhythmMonths = RhythmDays / 30  // months before each of them by which rhythms are known
	leastKnown   = rhythmMonths / 2 // of these, months in which something is stored
)

// ReadPastAbsences reads the absences at the beginnings of the months that are over, as far as
// these months and the half year before them are collected. The records are those known now,
// whatever the instant of the query. It returns nil if there is no such month. The caller must
// not change the value.
func ReadPastAbsences(ctx context.Context, q *snapshot.Snapshot) (*PastAbsences, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	end := monthsBefore(today, 0)
	begin := max(monthsBefore(first, 0), monthsBefore(today, pastMonths+rhythmMonths))
	f := records.CommissionFilter{Account: q.Account, Members: q.Members, Days: affiliate.Days{First: begin, Last: end - 1}}
	if f.Days.Len() == 0 {
		return nil, nil
	}
	wide := *q
	wide.Product = ""
	cover, err := wide.ReadCoverage(ctx, affiliate.Commissions, f.Days)
	if err != nil {
		return nil, err
	}
	months := collectedMonths(cover, first, f.Days)
	if len(months) == 0 {
		return nil, nil
	}
	type asked struct {
		filter      records.CommissionFilter
		first, last affiliate.Day
		months      int
	}
	key := asked{f, months[0], months[len(months)-1], len(months)}
	read := func(ctx context.Context) (*PastAbsences, error) { return readPastAbsences(ctx, q, f, months) }
	changed, ok, err := sums.ActivityOfInvitees.LastChange(ctx, q.Tx, f)
	if err != nil {
		return nil, err
	}
	if !ok {
		return snapshot.Part(ctx, q, "past absences", key, read)
	}
	return snapshot.Lasting(ctx, q, "past absences", key, changed, read)
}

// monthsBefore returns the first day of the month that is some months before that of a day.
func monthsBefore(day affiliate.Day, months int) affiliate.Day {
	year, month, _ := day.Date()
	return affiliate.NewDay(year, month-time.Month(months), 1)
}

// collectedMonths lists the first days of months that are collected completely, together with
// the months before them by which rhythms are known. first is the oldest day with any data.
func collectedMonths(cover *coverage.Map, first affiliate.Day, days affiliate.Days) (months []affiliate.Day) {
	gap := affiliate.Day(-1) // the last day that is not collected
	for month := days.First; month <= days.Last; month = monthsBefore(month, -1) {
		next := monthsBefore(month, -1)
		for day := max(month, first); day < next; day++ {
			if cover.State(day) != coverage.DayCollected {
				gap = day
			}
		}
		if gap < monthsBefore(month, rhythmMonths) && monthsBefore(month, leastKnown) >= monthsBefore(first, 0) {
			months = append(months, month)
		}
	}
	return months[max(0, len(months)-pastMonths):]
}

// pastActivity is what one invitee did, by month.
type pastActivity struct {
	days  []affiliate.Day
	coins map[affiliate.Day][]sums.CoinFigures // by the first day of the month
}

func readPastAbsences(ctx context.Context, q *snapshot.Snapshot, f records.CommissionFilter, months []affiliate.Day) (*PastAbsences, error) {
	all := map[sums.InviteeKey]*pastActivity{}
	for month := f.Days.First; month <= f.Days.Last; month = monthsBefore(month, -1) {
		one := f
		one.Days = affiliate.Days{First: month, Last: monthsBefore(month, -1) - 1}
		part, err := sums.ActivityOfInvitees.Read(ctx, q.Tx, one)
		if err != nil {
			return nil, err
		}
		for key, own := range sums.JoinActivity(part) {
			if all[key] == nil {
				all[key] = &pastActivity{coins: map[affiliate.Day][]sums.CoinFigures{}}
			}
			all[key].days = append(all[key].days, own.Days...)
			all[key].coins[month] = own.Coins
		}
	}
	past := &PastAbsences{outcomes: map[affiliate.Coin][]estimate.PastAbsence{}, trials: map[affiliate.Coin]LossTrials{}}
	for _, own := range all {
		for _, month := range months {
			for _, one := range own.absences(month) {
				past.outcomes[one.coin] = append(past.outcomes[one.coin], one.PastAbsence)
			}
		}
	}
	for coin, list := range past.outcomes {
		slices.SortFunc(list, compareOutcomes)
		tested, hits := estimate.LossHits(list)
		past.trials[coin] = LossTrials{Tested: tested, Hits: hits}
	}
	return past, nil
}

// compareOutcomes orders outcomes by month, so that the same ones always give the same estimate.
func compareOutcomes(a, b estimate.PastAbsence) int {
	return cmp.Or(cmp.Compare(a.Origin, b.Origin), b.Usual.Cmp(a.Usual), cmp.Compare(a.Silent, b.Silent), cmp.Compare(a.HalfDays, b.HalfDays), a.Came.Cmp(b.Came))
}

// absences returns the absence of the invitee when a month began, by coin, by the rules of
// [stateOf] and [SnapshotLine.risk].
func (a *pastActivity) absences(month affiliate.Day) (list []pastAbsence) {
	end, _ := slices.BinarySearch(a.days, month)
	begin, _ := slices.BinarySearch(a.days, month-RhythmDays)
	if begin == end {
		return nil
	}
	days := a.days[begin:end]
	gap, last := usualGap(days), days[len(days)-1]
	state := stateOf(tradingDays{lastTrade: last, usualGap: gap}, month)
	if !gap.Known() || state != StateSilent && state != StateSlowing {
		return nil
	}
	began := monthsBefore(month, rhythmMonths)
	since, _ := slices.BinarySearch(a.days, began)
	span := affiliate.Days{First: a.days[since], Last: last}
	usual := map[affiliate.Coin]decimal.Decimal{}
	for at := began; at < month; at = monthsBefore(at, -1) {
		for _, t := range a.coins[at] {
			usual[t.Coin] = usual[t.Coin].Add(t.Commission.Decimal())
		}
	}
	came := map[affiliate.Coin]decimal.Decimal{}
	for _, t := range a.coins[month] {
		came[t.Coin] = t.Commission.Decimal()
	}
	length := decimal.NewFromInt(int64(monthsBefore(month, -1) - month))
	present := decimal.NewFromInt(PresentDays)
	for coin, sum := range usual {
		brought := inPresentDays(sum, span)
		if !brought.IsPositive() { // or dust that rounds to nothing
			continue
		}
		list = append(list, pastAbsence{coin: coin, PastAbsence: estimate.PastAbsence{
			Absence: estimate.Absence{Silent: int(month - last), HalfDays: int(gap), Usual: brought},
			Came:    came[coin].Mul(present).DivRound(length, figures.FractionDigits), Origin: int(month)}})
	}
	return list
}

// inPresentDays returns what a sum over some days is in [PresentDays]. Fewer days count as
// many.
func inPresentDays(sum decimal.Decimal, span affiliate.Days) decimal.Decimal {
	return sum.Mul(decimal.NewFromInt(PresentDays)).DivRound(decimal.NewFromInt(int64(max(span.Len(), PresentDays))), figures.FractionDigits)
}
