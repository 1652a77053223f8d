package phrase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
)

// EarnedFacts are what the first line of the front page is about.
type EarnedFacts struct {
	overview.Report
	Drivers  *drivers.Report    // nil: nothing is compared
	Payments *payments.Overview // nil: not for this query, or not for this reader
	Names    *people.NameBook   // that the reader may see
}

// Converted reports whether the large figure is of several coins, converted.
func (e EarnedFacts) Converted() bool { return len(e.Cards) > 1 && e.Valued.Known() }

// Total returns the figure that a page shows large: all coins converted, or the main coin if it is
// the only one or no price is known.
func (e EarnedFacts) Total() affiliate.Amount {
	if e.Converted() {
		return e.Valued.Amount()
	}
	for _, card := range e.Cards {
		if card.Coin == e.Coin {
			return card.Commission.Amount
		}
	}
	return affiliate.Amount{}
}

// Change returns how that figure compares, and with what.
func (e EarnedFacts) Change() (figures.Change, affiliate.Amount) {
	if e.Converted() {
		return e.Valued.Change, e.Valued.Reference.Amount()
	}
	for _, card := range e.Cards {
		if card.Coin == e.Coin {
			return card.Commission.Change, card.Commission.Reference
		}
	}
	return figures.Change{}, affiliate.Amount{}
}

// Earned says in a sentence or two what was earned, how that compares and why, and what of it is
// not paid: "Earned 14,203.55 USDT in the last 30 days, 6.1 % less than before, mostly since three
// invitees brought less. 312.40 USDT of it is not paid yet, and none is overdue." What is not
// known, or too small to tell, is left out. It is empty if nothing is known to be earned.
func Earned(e EarnedFacts) []Fragment {
	if e.Empty != "" || len(e.Cards) == 0 {
		return nil
	}
	words := Say("Earned ", e.amount())
	words = append(words, Say(" "+In(e.Query, e.open()))...)
	if e.narrowed() {
		words = append(words, Say(" within the filters in use")...)
	}
	if lacks := e.Valued.Missing; e.Converted() && len(lacks) > 0 {
		words = append(words, Say(", besides ", listed(lacks))...)
		words = append(words, Say(" without a known price")...)
	}
	switch {
	case e.Coverage.Complete() && e.SameHours != nil:
		words = append(words, Say(e.comparedHours())...)
	case e.Coverage.Complete():
		words = append(words, Say(e.compared())...)
	case len(e.Coverage.Gaps) == 0:
		words = append(words, Say(", as far as it is collected")...)
	default:
		words = append(words, Say(fmt.Sprintf(", as far as it is collected (%d of %d days)", e.Coverage.Collected, e.Coverage.Wanted))...)
	}
	words = append(words, Say(".")...)
	if paid := e.paid(); len(paid) > 0 {
		paid[0].Text = Capital(paid[0].Text)
		words = append(words, Say(" ", paid, ".")...)
	}
	return words
}

// open reports whether the range is still running.
func (e EarnedFacts) open() bool {
	change, _ := e.Change()
	return change.Open || e.Query.IncludesToday()
}

// narrowed reports whether a filter other than the account is in use.
func (e EarnedFacts) narrowed() bool {
	filters := e.Query.Filters()
	filters.Del("account")
	filters.Del("as_of")
	return len(filters) > 0
}

// amount is the total with its exact value, or the amounts of all coins if nothing is converted.
func (e EarnedFacts) amount() []Fragment {
	if e.Converted() {
		return Say(inOneCoin(e.Valued.Valuation), " ("+Things(len(e.Cards)-len(e.Valued.Missing), "coin")+", converted"+OtherPrices(e.Valued.Valuation, e.zone())+")")
	}
	amounts := make([]affiliate.Amount, len(e.Cards))
	for i, card := range e.Cards {
		amounts[i] = card.Commission.Amount
	}
	return listed(amounts)
}

// inOneCoin is a converted amount as it is printed large, with its exact value.
func inOneCoin(v figures.Valuation) Fragment {
	return Fragment{Text: v.Amount().String(), Exact: v.Amount().Exact()}
}

// mostListed is how many amounts a sentence names.
const mostListed = 3

// listed names amounts of several coins: "1.00 USDT, 2.00 USDC and 0.1 ETH".
func listed(amounts []affiliate.Amount) (words []Fragment) {
	shown := amounts[:min(len(amounts), mostListed)]
	for i, amount := range shown {
		switch {
		case i == 0:
		case i == len(shown)-1 && len(amounts) == len(shown):
			words = append(words, Say(" and ")...)
		default:
			words = append(words, Say(", ")...)
		}
		words = append(words, Say(amount)...)
	}
	if more := len(amounts) - len(shown); more > 0 {
		words = append(words, Say(" and amounts in "+Things(more, "more coin"))...)
	}
	return words
}

// rolling are the ranges of a number of days up to now.
var rolling = map[query.RangeName]string{
	query.Last7: "in the last 7 days", query.Last14: "in the last 14 days", query.Last30: "in the last 30 days",
	query.Last90: "in the last 90 days", query.Last12M: "in the last 365 days",
}

// In says in which days, for the middle of a sentence; open: the last of them is not over. An earlier state has its days by
// their dates: they are relative to another day than today.
func In(q query.Query, open bool) string {
	so := ""
	if open {
		so = " so far"
	}
	if !q.Past() {
		if words, ok := rolling[q.Range]; ok {
			return words
		}
		switch q.Range {
		case query.Today:
			return "today" + so
		case query.Yesterday:
			return "yesterday"
		case query.MonthTo:
			return "this month" + so
		case query.LastMonth:
			return "last month"
		case query.QuarterTo:
			return "this quarter" + so
		case query.YearTo:
			return "this year" + so
		case query.AllTime:
			return "since " + q.Days.First.Format(dayForm)
		}
	}
	first, last := q.Days.First, q.Days.Last
	switch {
	case first == last:
		return "on " + first.Format(dayForm) + so
	case query.WholeMonths(q.Days) > 0:
		return "in " + Period(q.Days) + so
	}
	return "from " + first.Format(dayForm) + " to " + last.Format(dayForm) + so
}

// comparedHours says how the complete hours of a running day compare with the same hours before, in
// a sentence without its point after that of the day. It is empty if none is complete, or if that
// is not known.
func (e EarnedFacts) comparedHours() string {
	days, _ := e.Query.Compare.Days(e.Query.Days)
	if e.SameHours.Empty() {
		return ""
	}
	same := "the same hours of " + Period(days)
	words := ". " + Capital(HoursUpTo(*e.SameHours)) + " brought "
	change, _ := e.Change()
	growth, of := Growth(change), e.oneOfSeveral()
	switch change.Kind {
	case figures.ChangeSame:
		return words + "as much" + of + " as " + same
	case figures.ChangeUp, figures.ChangeDown:
	default:
		return ""
	}
	switch factor, ok := strings.CutPrefix(growth, "×"+Space); {
	case growth == "" && change.From == 0 && change.Kind == figures.ChangeUp:
		return ". " + Capital(same) + ", up to " + clockOf(e.SameHours.To) + ", brought nothing" + of
	case growth == "":
		return words + byAmount(change) + " than " + same
	case ok:
		return words + factor + " times as much" + of + " as " + same
	case isFactor(change.Percent):
		return ". " + Capital(same) + ", up to " + clockOf(e.SameHours.To) + ", brought nearly nothing" + of
	}
	return words + growth + pick(change.Percent, " more", " less") + of + " than " + same
}

// HoursUpTo names the complete hours of a running day, for the middle of a sentence.
func HoursUpTo(hours affiliate.Range) string {
	return "the complete hours up to " + clockOf(hours.To)
}

// clockOf is the time of day at the end of an hour; the end of a day is 24:00.
func clockOf(t time.Time) string {
	if clock := t.Format("15:04"); clock != "00:00" {
		return clock
	}
	return "24:00"
}

// compared says how the amount compares, and why, after it. It is empty if that is not known.
func (e EarnedFacts) compared() string {
	change, _ := e.Change()
	before := "before"
	days, asked := e.Query.Compare.Days(e.Query.Days)
	if !asked {
		return ""
	}
	if _, ok := rolling[e.Query.Range]; e.Query.Past() || e.open() && !ok {
		before = "in all of " + Period(days)
	} else if words := comparedWith[e.Query.Compare]; words != "" {
		before = words
	}
	growth, of := Growth(change), e.oneOfSeveral()
	switch change.Kind {
	case figures.ChangeUp, figures.ChangeDown:
	case figures.ChangeSame:
		return ", as much" + of + " as " + before
	default:
		return ""
	}
	switch factor, ok := strings.CutPrefix(growth, "×"+Space); {
	case growth == "" && change.From == 0 && change.Kind == figures.ChangeUp:
		return ", and nothing" + of + " " + before
	case growth == "":
		return ", " + byAmount(change) + " than " + before + e.cause(change)
	case ok:
		return ", " + factor + " times as much" + of + " as " + before + e.cause(change)
	case isFactor(change.Percent):
		return ", and nearly nothing" + of + " " + before
	default:
		return ", " + growth + pick(change.Percent, " more", " less") + of + " than " + before + e.cause(change)
	}
}

// byAmount says by how much more or less a figure is that has no percentage: "80.00 USDT more".
func byAmount(c figures.Change) string {
	return growthOrAmount(c) + pick(c.By.Value, " more", " less")
}

// oneOfSeveral names the coin that is compared if the sentence has amounts of several: " of USDT".
func (e EarnedFacts) oneOfSeveral() string {
	if len(e.Cards) < 2 || e.Converted() {
		return ""
	}
	return " of " + string(e.Coin)
}

// comparedWith names the compared period of a range that is over, or always runs up to now.
var comparedWith = map[query.Compare]string{
	query.CompareWeekday: "on the same weekdays before", query.CompareMonth: "a month before", query.CompareYear: "a year before",
}

// leastExplained is the smallest change, in percent, that a sentence explains.
const leastExplained = 1

// cause says what made most of the change. It is empty if the change is small or no larger than
// what the hours that are left of a running range may bring, and if no cause makes half of it.
func (e EarnedFacts) cause(change figures.Change) string {
	least := decimal.NewFromInt(leastExplained)
	if change.Open && change.Kind == figures.ChangeDown {
		least = decimal.Max(least, decimal.NewFromInt(100).Div(decimal.NewFromInt(int64(e.Query.Days.Len()))))
		if _, ok := rolling[e.Query.Range]; !ok {
			return ""
		}
	}
	if e.Drivers == nil || !e.Drivers.Known() || !e.Drivers.Complete() || change.Relative() && change.Percent.Abs().LessThan(least) {
		return ""
	}
	if words := driversCause(*e.Drivers, e.Converted(), e.Names); words != "" {
		return ", " + words
	}
	return ""
}

// driversCause says what made at least half of a change, of all coins together or of the main coin: a few invitees,
// those who are new, stopped or trade again, or one effect. "mostly since three invitees brought less". It
// is empty if nothing did, or if it cannot be told.
func driversCause(r drivers.Report, together bool, names *people.NameBook) string {
	s := driversSentence{r, r.Change(), names}
	half, ok := s.change.Abs().Div(decimal.NewFromInt(2)), true
	if together {
		half, ok = s.halfOfAll()
	}
	if !ok || s.change.IsZero() {
		return ""
	}
	if s.Query.UID == "" {
		list := s.Invitees.Up(fewInvitees)
		if s.change.IsNegative() {
			list = s.Invitees.Down(fewInvitees)
		}
		for n := 1; n <= len(list); n++ {
			if part := list[:n].Together().Change(); !part.Abs().LessThan(half) {
				return s.fewest(list[:n])
			}
		}
		for _, kind := range []struct {
			figures.Presence
			words string
		}{
			{figures.PresentNew, "mostly from %s that had brought nothing before"},
			{figures.PresentNoLonger, "mostly since %s brought nothing any more"},
			{figures.PresentBack, "mostly from %s that traded again"},
		} {
			if moved := s.Invitees.WithPresence(kind.Presence).Together(); moved.Change().Sign() == s.change.Sign() && !moved.Change().Abs().LessThan(half) {
				return fmt.Sprintf(kind.words, Things(moved.N, "invitee"))
			}
		}
	}
	if with, _ := s.causes(); len(with) > 0 && s.divided() && !with[0].Amount.Abs().LessThan(half) {
		return "mostly because " + s.word(with[0])
	}
	return ""
}

// fewest says that a few invitees made most of a change, and names the first with its part of it.
func (s driversSentence) fewest(list drivers.Contributions) string {
	first, more := list[0], pick(s.change, "more", "less")
	part := affiliate.Amount{Value: first.Change().Abs(), Coin: s.Coin}.String()
	if len(list) == 1 {
		return "mostly since " + s.name(first) + " brought " + part + " " + more
	}
	return "mostly since " + few(len(list)) + " brought " + more + ", " + s.name(first) + " alone " + part
}

// name calls an invitee by its name, or by its UID without one.
func (s driversSentence) name(c drivers.Contribution) string {
	return cmp.Or(affiliate.OneLine(s.names.Of(affiliate.UID(c.Name))), affiliate.OneLine(c.Name))
}

// halfOfAll returns how much of the change in the coin of the report is half of the change in all
// coins. It is not known if a coin has no price, or if all coins together moved the other way.
func (s driversSentence) halfOfAll() (decimal.Decimal, bool) {
	change := s.change.Abs()
	if len(s.Coins) <= 1 {
		return change.Div(decimal.NewFromInt(2)), true
	}
	var all, own decimal.Decimal
	for _, c := range s.Coins {
		if !c.Priced {
			return change, false
		}
		if all = all.Add(c.Worth); c.Coin == s.Coin {
			own = c.Worth
		}
	}
	if own.IsZero() || own.Sign() != all.Sign() || own.Sign() != s.change.Sign() {
		return change, false
	}
	return change.Mul(all.Abs()).DivRound(own.Abs().Mul(decimal.NewFromInt(2)), figures.FractionDigits), true
}

// paid says what of the amount is not paid. If the days of payments are not those of the range, it
// says what is overdue of all time.
func (e EarnedFacts) paid() []Fragment {
	p := e.Payments
	if p == nil || !p.Ruled() || len(p.Unread()) > 0 || slices.ContainsFunc(p.Rules, func(r payments.RuleInUse) bool { return !r.Known }) {
		return nil
	}
	if !e.Coverage.Complete() || !p.Paid.Complete() {
		return nil
	}
	if !e.sameEarnings() {
		if zone := e.zone(); !utcDays(e.Query.Days, zone) {
			return Say("What of it is paid is not told: payments go by UTC days, and these are days of " + zone.String())
		}
		return nil
	}
	words := e.owed()
	if more := TooMuch(p.TooMuch); more != "" && len(words) > 0 {
		words = append(words, Say("; "+more)...)
	}
	return words
}

// zone is the zone of the reporting days.
func (e EarnedFacts) zone() *time.Location { return cmp.Or(e.Query.Zone, time.UTC) }

// utcDays reports whether days of a zone begin and end with UTC days.
func utcDays(days affiliate.Days, zone *time.Location) bool {
	return days.First.Start(zone).Equal(days.First.Start(time.UTC)) && (days.Last + 1).Start(zone).Equal((days.Last + 1).Start(time.UTC))
}

// owed says what of the amount is not paid, and what of that is overdue.
func (e EarnedFacts) owed() []Fragment {
	p := e.Payments
	switch {
	case e.nonePaid() && slices.EqualFunc(p.Awaited, p.Overdue, equalAmounts):
		return Say("None of it is paid yet, and all of it is overdue")
	case e.nonePaid() && len(p.Overdue) > 0:
		return Say("None of it is paid yet, and ", sumWords(p.Overdue, p.OverdueWorth), " is overdue")
	case e.nonePaid():
		return Say("None of it is paid yet, and none is overdue")
	case len(p.Overdue) > 0 && slices.EqualFunc(p.Awaited, p.Overdue, equalAmounts):
		return Say(sumWords(p.Awaited, p.AwaitedWorth), " of it is not paid yet, all of that is overdue")
	case len(p.Awaited) > 0 && len(p.Overdue) > 0:
		return Say(sumWords(p.Awaited, p.AwaitedWorth), " of it is not paid yet, ", sumWords(p.Overdue, p.OverdueWorth), " of that is overdue")
	case len(p.Awaited) > 0:
		return Say(sumWords(p.Awaited, p.AwaitedWorth), " of it is not paid yet, and none is overdue")
	case slices.ContainsFunc(p.InRange, func(b payments.CoinBalance) bool { return b.Paid.Cmp(&b.Earned) < 0 }):
		return nil // a user has accepted that a part will not come
	}
	return Say("All of it is paid")
}

func equalAmounts(a, b affiliate.Amount) bool { return a.Coin == b.Coin && a.Value.Equal(b.Value) }

// nonePaid reports whether all that was earned is still to be paid.
func (e EarnedFacts) nonePaid() bool {
	earned := slices.DeleteFunc(slices.Clone(e.Payments.InRange), func(b payments.CoinBalance) bool { return b.Earned.Decimal().IsZero() })
	return len(earned) > 0 && len(e.Payments.Awaited) == len(earned) && !slices.ContainsFunc(earned, func(b payments.CoinBalance) bool {
		return !slices.ContainsFunc(e.Payments.Awaited, func(a affiliate.Amount) bool { return a.Coin == b.Coin && a.Value.Equal(b.Earned.Decimal()) })
	})
}

// sameEarnings reports whether the payments of the range are for exactly what was earned in it.
func (e EarnedFacts) sameEarnings() bool {
	earned := map[affiliate.Coin]decimal.Decimal{}
	for _, b := range e.Payments.InRange {
		earned[b.Coin] = b.Earned.Decimal()
	}
	for _, card := range e.Cards {
		if !earned[card.Coin].Equal(card.Commission.Amount.Value) {
			return false
		}
		delete(earned, card.Coin)
	}
	for _, rest := range earned {
		if !rest.IsZero() {
			return false
		}
	}
	return true
}

// sumWords prints amounts of one coin as they are, and those of several converted, if all have a
// price.
func sumWords(amounts []affiliate.Amount, worth figures.Valuation) []Fragment {
	if len(amounts) > 1 && worth.Known() && len(worth.Missing) == 0 {
		return Say("about ", inOneCoin(worth))
	}
	return listed(amounts)
}
