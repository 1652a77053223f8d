package phrase

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
)

// Drivers says in a sentence what moved commission: by how much it changed, which few invitees
// make most of it, and the main cause. "Commission fell by 412.08 USDT (−18.2 %): 371.50 of it from
// three invitees, mostly because less was traded." With a book of names, an invitee has its name beside
// the UID. [DriversBesides] tells the rest.
func Drivers(r drivers.Report, names *people.NameBook) string {
	switch {
	case r.Empty != "":
		return Empty(r.Empty) + "."
	case r.Incomparable != "":
		return "Nothing to compare with: " + Days(r.Compared) + " is not known. " + Empty(r.Incomparable) + "."
	}
	s := driversSentence{r, r.Change(), names}
	if s.change.IsZero() {
		return s.subject() + " did not change" + s.balance() + "."
	}
	words := s.head()
	if who := s.who(); who != "" {
		words += ": " + who
	}
	return words + s.cause() + "."
}

// DriversBesides says what else moved commission: the cause after the main one, what worked against it,
// and what the share of fees did. It is empty if the change cannot be divided.
func DriversBesides(r drivers.Report) string {
	s := driversSentence{r, r.Change(), nil}
	with, against := s.causes()
	if !r.Known() || s.change.IsZero() || len(with) == 0 || !s.divided() {
		return ""
	}
	var parts []string
	told := with[:1]
	if s.minor(with[0]) && len(with) > 1 {
		told = with[:2]
		parts = append(parts, "also, "+s.word(with[1]))
	}
	if len(against) > 0 && !twice(against[0].Amount).LessThan(with[0].Amount.Abs()) {
		told = append(slices.Clone(told), against[0])
		parts = append(parts, "against that, "+s.word(against[0]))
	}
	if !slices.ContainsFunc(told, func(e drivers.EffectAmount) bool { return e.Effect == drivers.ShareEffect }) {
		parts = append(parts, s.share())
	}
	if len(parts) == 0 {
		return ""
	}
	return Capital(strings.Join(parts, "; ")) + "."
}

// DriversMarks says why the drivers may be other ones: days are missing, the range is not over,
// or the periods have different lengths.
func DriversMarks(r drivers.Report) (marks []string) {
	if !r.Known() {
		return nil
	}
	for _, side := range []struct {
		of       string
		complete bool
		lack     string
	}{{"the range", r.Coverage.Complete(), Lack(r.Coverage)}, {"the compared period", r.ComparedCover.Complete(), Lack(r.ComparedCover)}} {
		if !side.complete {
			marks = append(marks, "Not all of "+side.of+" is collected: "+side.lack+". What is missing counts as nothing earned, and so moves the drivers.")
		}
	}
	if r.Open {
		marks = append(marks, "The range is not over, and is compared with whole days.")
	}
	if lengths := Lengths(r.Query.Days, r.Compared); lengths != "" {
		marks = append(marks, "The periods have different lengths: "+lengths+".")
	}
	return marks
}

// EffectName names an effect for people.
func EffectName(e drivers.Effect) string {
	switch e {
	case drivers.VolumeEffect:
		return "Trading volume"
	case drivers.FeeEffect:
		return "Fees per volume"
	case drivers.ShareEffect:
		return "Share of fees"
	}
	return "Rest"
}

// driversSentence builds the sentence of a report whose commission changed.
type driversSentence struct {
	drivers.Report
	change decimal.Decimal
	names  *people.NameBook
}

func (s driversSentence) subject() string {
	if s.Query.UID != "" {
		return "Commission of " + s.names.Beside(s.Query.UID)
	}
	return "Commission"
}

// amount prints the size of an amount without its coin, which is said once.
func (s driversSentence) amount(d decimal.Decimal) string {
	return affiliate.Amount{Value: d.Abs(), Coin: s.Coin}.Short()
}

// pick returns the word for the direction of an amount.
func pick(d decimal.Decimal, up, down string) string {
	if d.IsNegative() {
		return down
	}
	return up
}

func (s driversSentence) head() string {
	words := s.subject() + " " + pick(s.change, "rose", "fell") + " by " + s.amount(s.change) + " " + affiliate.OneLine(string(s.Coin))
	change := figures.ChangeOf(s.Coin, s.Now.Commission, s.Before.Commission)
	switch growth := Growth(change); {
	case s.Before.Commission.IsZero():
		return words + " from nothing"
	case growth == "":
		return words
	case isFactor(change.Percent):
		return words + " (" + growth + ")"
	default:
		return words + " (" + pick(s.change, "+", "−") + growth + ")"
	}
}

// balance says how much rose and fell if nothing is left of it.
func (s driversSentence) balance() string {
	up, down := s.Invitees.Up(len(s.Invitees)).Together(), s.Invitees.Down(len(s.Invitees)).Together()
	if up.N == 0 || s.Query.UID != "" {
		return ""
	}
	return ": " + Things(up.N, "invitee") + " brought " + s.amount(up.Change()) + " " + affiliate.OneLine(string(s.Coin)) + " more, and " + Count(down.N) + " brought as much less"
}

// fewInvitees is the most invitees that a sentence calls a few.
const fewInvitees = 3

// nearlyAll is the part of a change that one or two invitees must make to be named without a
// third.
var nearlyAll = decimal.New(8, -1)

// numerals are the numbers of a few.
var numerals = [...]string{"no", "one", "two", "three"}

func few(n int) string {
	if n == 1 {
		return "one invitee"
	}
	return numerals[n] + " invitees"
}

// who names the few invitees that make at least half of the change. If changes in both
// directions are large, it says how large; if no few make it, it says who else does.
func (s driversSentence) who() string {
	if s.Query.UID != "" || len(s.Invitees) == 0 {
		return ""
	}
	with, against := s.Invitees.Up(len(s.Invitees)), s.Invitees.Down(len(s.Invitees))
	if s.change.IsNegative() {
		with, against = against, with
	}
	all, other := with.Together(), against.Together()
	if twice(other.Change()).GreaterThan(all.Change().Abs()) {
		return Things(all.N, "invitee") + " brought " + s.amount(all.Change()) + pick(s.change, " more", " less") +
			", and " + Count(other.N) + " brought " + s.amount(other.Change()) + pick(s.change, " less", " more")
	}
	most := min(fewInvitees, len(with))
	for n := 1; n <= most; n++ {
		part := with[:n].Together().Change()
		switch {
		case part.Abs().LessThan(s.change.Abs().Mul(nearlyAll)) && n < most || twice(part).LessThan(s.change.Abs()):
			continue
		case part.Equal(s.change) && n == all.N:
			return "all of it from " + few(n)
		case part.Abs().GreaterThan(s.change.Abs()):
			return few(n) + " brought " + s.amount(part) + pick(s.change, " more", " less") + ", and all others together " + s.amount(s.change.Sub(part)) + pick(s.change, " less", " more")
		}
		return s.amount(part) + " of it from " + few(n)
	}
	for _, presence := range []figures.Presence{figures.PresentNew, figures.PresentNoLonger, figures.PresentBack} {
		if moved := s.Invitees.WithPresence(presence).Together(); moved.Change().Sign() == s.change.Sign() && !twice(moved.Change()).LessThan(s.change.Abs()) {
			return s.amount(moved.Change()) + " of it from " + PresentPeople(moved.N, "invitee", presence, s.Query.Days)
		}
	}
	return "spread over " + Things(all.N, "invitee") + ", of whom none makes more than " + s.amount(with[0].Change()) + " of it"
}

// twice returns twice the size of an amount.
func twice(d decimal.Decimal) decimal.Decimal { return d.Abs().Add(d.Abs()) }

// effectWords are what an effect that raised, or lowered, commission means. If the factor as a
// whole moved the other way, or not at all, the mix of products and sources shifted.
var effectWords = map[drivers.Effect]struct{ up, down, mixUp, mixDown string }{
	drivers.VolumeEffect: {"more was traded", "less was traded", "trading moved to products or sources that bring more", "trading moved to products or sources that bring less"},
	drivers.FeeEffect: {"fees per volume rose", "fees per volume fell",
		"fees per volume rose within products and sources", "fees per volume fell within products and sources"},
	drivers.ShareEffect: {"the share of fees rose", "the share of fees fell",
		"the share of fees rose within products and sources", "the share of fees fell within products and sources"},
	drivers.RestEffect: {"a product or source came in that had brought nothing", "a product or source brings nothing any more",
		"a product or source came in that had brought nothing", "a product or source brings nothing any more"},
}

// word says what an effect means.
func (s driversSentence) word(e drivers.EffectAmount) string {
	words := effectWords[e.Effect]
	if s.overall(e.Effect) != e.Amount.Sign() {
		return pick(e.Amount, words.mixUp, words.mixDown)
	}
	return pick(e.Amount, words.up, words.down)
}

// overall returns the direction in which a factor of all records together moved.
func (s driversSentence) overall(e drivers.Effect) int {
	compare := func(of func(figures.Factors) (decimal.Decimal, bool)) int {
		now, _ := of(s.Now) // an effect is known only if the factors are
		before, _ := of(s.Before)
		return now.Cmp(before)
	}
	switch e {
	case drivers.VolumeEffect:
		return s.Now.Volume.Cmp(s.Before.Volume)
	case drivers.FeeEffect:
		return compare(figures.Factors.FeePerVolume)
	case drivers.ShareEffect:
		return compare(figures.Factors.ShareOfFees)
	}
	return 0
}

// cause names the main effect.
func (s driversSentence) cause() string {
	with, _ := s.causes()
	switch {
	case len(with) == 0 || !s.divided():
		return ""
	case s.minor(with[0]):
		return ", above all because " + s.word(with[0])
	}
	return ", mostly because " + s.word(with[0])
}

// minor reports whether an effect makes less than half of the change.
func (s driversSentence) minor(e drivers.EffectAmount) bool {
	return twice(e.Amount).LessThan(s.change.Abs())
}

// causes returns the effects in the direction of the change, and those against it, each with
// the largest first.
func (s driversSentence) causes() (with, against []drivers.EffectAmount) {
	for _, e := range s.EffectList() {
		switch e.Amount.Sign() {
		case 0:
		case s.change.Sign():
			with = append(with, e)
		default:
			against = append(against, e)
		}
	}
	for _, list := range [][]drivers.EffectAmount{with, against} {
		slices.SortStableFunc(list, func(a, b drivers.EffectAmount) int { return b.Amount.Abs().Cmp(a.Amount.Abs()) })
	}
	return with, against
}

// divided reports whether any of the change could be divided into effects.
func (s driversSentence) divided() bool {
	return !s.Effects.Volume.IsZero() || !s.Effects.FeePerVolume.IsZero() || !s.Effects.ShareOfFees.IsZero()
}

// share says what the share of fees did.
func (s driversSentence) share() string {
	effect := s.Effects.ShareOfFees
	switch {
	case effect.IsZero() && s.overall(drivers.ShareEffect) != 0:
		return "within products and sources the share of fees did not change"
	case effect.IsZero():
		return "the share of fees did not change"
	case effect.Abs().Shift(3).LessThan(s.Before.Commission.Abs()):
		return "the share of fees hardly changed"
	}
	words := s.word(drivers.EffectAmount{Effect: drivers.ShareEffect, Amount: effect}) + " (" + pick(effect, "+", "−") + s.amount(effect) + ")"
	if overall := s.overall(drivers.ShareEffect); overall == -effect.Sign() {
		words += ", though it " + pick(effect, "fell", "rose") + " overall"
	}
	return words
}
