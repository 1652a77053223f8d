package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"rebatedesk/affiliate"
)

// The constants of the test for a change of the level. docs/method.md says how they were chosen.
const (
	WatchedDays = 56   // days for which a change of one of many series is told
	BreakDays   = 84   // days before a change with which those since are compared
	leastBefore = 112  // days before a change that are needed to know what is usual
	leastSince  = 3    // days since a change that can be told
	mostSince   = 140  // older changes are history
	unlikely    = 3e-6 // how likely the days since may be at most, if nothing changed
	beyond      = 1.25 // how far outside of its own errors of as many days the method must be
	lower       = 0.45 // of the level: smaller changes down are not told
	higher      = 0.75 // and smaller ones up
	farthest    = 4    // the most that a day beyond all usual ones counts for besides its rank
	mostEmpty   = 10   // of so many stretches before a change one may bring nothing
	leastClose  = 8    // stretches around a change between which it must be plain
	near        = 28   // days around a change between which it must be plain
	fine        = 0.02 // of what is usual: smaller differences among days say nothing
	week        = 7    // days before the first of the most unlikely ones, from which the day of a change is looked for
	lags        = 5    // days over which one may be like another
	chance      = 0.25 // how much alike days are by chance
	abrupt      = 2e-3 // how likely they may be at most, if nothing changed
	leastRange  = 14   // days since a change from which there is a range
	watched     = 3e-7 // the same of all series together that are watched
	unsettled   = 1.3  // how much wider it is than that of a settled level
)

// LeastBreak is how many days a history has at least of which a change of the level can be told.
const LeastBreak = leastBefore + leastSince

// change is where the level of a history changed.
type change struct{ at int }

// BreakOf tests whether the level of a series changed lately, in the way in which [Make] tests that of a
// programme. among is how many series are watched together with it, itself included: the more there are, the
// less likely the days since must be, so that all of them together are told one wrongly no more often. It
// returns nil if the level did not change, or if the history is too short to say.
func BreakOf(h PastDays, among int) *Break {
	h = h.last(mostDays)
	amounts := h.floats()
	return rhythmOf(h.First, amounts, 0, week).changed(h.First, amounts, watched/float64(max(1, among)), WatchedDays).between(h)
}

// between returns the change with the means of the days before and since.
func (c *change) between(h PastDays) *Break {
	if c == nil {
		return nil
	}
	of := h.last(mostDays)
	since := of.First + affiliate.Day(c.at)
	before := affiliate.Days{First: max(of.First, since-BreakDays), Last: since - 1}
	after := affiliate.Days{First: since, Last: of.Next() - 1}
	mean := func(days affiliate.Days) decimal.Decimal {
		sum := of.Sum(days)
		n := decimal.NewFromInt(int64(days.Len()))
		return sum.DivRound(n, placesOf(sum.InexactFloat64()/float64(days.Len())))
	}
	return &Break{Since: since, Before: mean(before), After: mean(after)}
}

// silence returns the change to a silence that is longer than a change is looked for, or nil.
func silence(amounts []float64) *change {
	at := len(amounts)
	for at > 0 && amounts[at-1] == 0 {
		at--
	}
	if at == 0 || len(amounts)-at <= mostSince {
		return nil
	}
	return &change{at: at}
}

// changed tests whether the last days are outside of what the method expected of them and outside of
// what the programme ever did, and returns since when. Both must be so: the first alone is often
// chance, and the second alone is the way of a programme that wanders, grows or pauses. limit is how
// likely the days since may be at most, and most how many they may be.
func (r *rhythm) changed(first affiliate.Day, amounts []float64, limit float64, most int) *change {
	n := len(amounts)
	if n < leastBefore+leastSince {
		return nil
	}
	models := r.origins(first, amounts)
	var found *change
	best := math.Log(limit)
	for k := leastSince; k <= most && n-k >= leastBefore; k++ {
		off := models[n-k].off(r, first, amounts, n-k, k)
		if off > -lower && off < higher {
			continue
		}
		from, share := max(warmUp/2, n-k-BreakDays), models[n-k].share // the rhythm as it was before
		even := make([]float64, n-from)
		for i := range even {
			even[i] = amounts[from+i] / share[r.at(first+affiliate.Day(from+i))]
		}
		before, since, at := even[:n-k-from], even[n-k-from:], near
		if off < 0 {
			before, since, at = folded(before, since)
		}
		if m := middle(since)/middle(before) - 1; off < 0 && m > -lower || off > 0 && m < higher {
			continue // a few large days made it
		}
		close := usualOf(slices.Clone(before[max(0, len(before)-at):])).surprise(since[:min(at, len(since))], off > 0)
		if close > math.Log(abrupt) {
			continue // it came slowly
		}
		if p := apart(before) * usualOf(slices.Clone(before)).surprise(since, off > 0); p < best && r.outside(models, first, amounts, off, k) {
			best, found = p, &change{at: from + settle(even, n-k-from)}
		}
	}
	return found
}

// off returns by how much the days from i on are more than expected, relative to the expected.
func (o *origin) off(r *rhythm, first affiliate.Day, amounts []float64, i, days int) float64 {
	e := r.errorOf(o, first, amounts, i, 0, days)
	if e.scale <= 0 {
		return 0
	}
	return (e.came - e.expected) / e.scale
}

// folded adds up days before and since a change to stretches of so many that few before it brought nothing: a day on
// which somebody who pauses brings nothing says little. close is how many of them are close to the change.
func folded(before, since []float64) (usual, now []float64, close int) {
	for _, n := range []int{1, 2, 3, 4, 7} {
		if n > 1 && len(since) < leastSince*n {
			return usual, now, close
		}
		usual, now, close = nil, nil, max(near/n, leastClose)
		for to := len(before); to >= n; to -= n {
			usual = append(usual, floats.Sum(before[to-n:to]))
		}
		slices.Reverse(usual)
		for from := 0; from+n <= len(since); from += n {
			now = append(now, floats.Sum(since[from:from+n]))
		}
		empty := 0
		for _, x := range usual {
			if x == 0 {
				empty++
			}
		}
		if empty*mostEmpty <= len(usual) {
			break
		}
	}
	return usual, now, close
}

// apart returns how much of what days say they say by themselves, if each is like the one before it: all
// of it for days that are drawn one by one, little where a level wanders or pauses.
func apart(days []float64) float64 {
	n, alike := len(days), 0.0
	for lag := 1; lag <= lags; lag++ {
		if c := stat.Correlation(days[:n-lag], days[lag:], nil); c > 0 { // not without any difference among the days
			alike += c
		}
	}
	return 1 / (1 + 2*max(0, alike-chance))
}

// middle returns the mean of some days without the fifth of them that are largest and the fifth that are
// smallest.
func middle(days []float64) float64 {
	days = slices.Sorted(slices.Values(days))
	fifth := len(days) / 5
	return stat.Mean(days[fifth:len(days)-fifth], nil)
}

// usual are days without a change, sorted, with how far their largest and their smallest ones lie
// apart.
type usual struct {
	days      []float64
	low, high float64 // mean distance of the lowest and of the highest tenth from the next one
}

func usualOf(days []float64) usual {
	slices.Sort(days)
	tenth := max(1, len(days)/10)
	u := usual{days: days}
	for i := range tenth {
		u.low += (days[tenth] - days[i]) / float64(tenth)
		u.high += (days[len(days)-1-i] - days[len(days)-1-tenth]) / float64(tenth)
	}
	return u
}

// surprise returns the logarithm of how likely days as high as some, or as low, are if days come as the
// usual ones do. A day counts by its rank, and beyond all usual ones by its distance from them, but
// never for more than a limit: a few large ones say little.
func (u usual) surprise(since []float64, up bool) float64 {
	n, sum := float64(len(u.days)+1), 0.0
	for _, x := range since {
		rank, beyond, apart := 0, 0.0, 0.0
		if up {
			rank, _ = slices.BinarySearch(u.days, x)
			rank, beyond, apart = len(u.days)-rank, x-u.days[len(u.days)-1], u.high
		} else {
			rank, _ = slices.BinarySearchFunc(u.days, x, func(a, x float64) int { return cmp.Or(cmp.Compare(a, x), -1) })
			beyond, apart = u.days[0]-x, u.low
		}
		sum += math.Log(n / float64(rank+1))
		if beyond > 0 && apart > 0 {
			sum += min(beyond/apart, farthest)
		} else if beyond > 0 {
			sum += farthest
		}
	}
	return math.Log(2*mathext.GammaIncRegComp(float64(len(since)), sum) + math.SmallestNonzeroFloat64)
}

// outside reports whether the last k days, which are off by so much, are outside of the errors that the
// method made over k days before them.
func (r *rhythm) outside(models []origin, first affiliate.Day, amounts []float64, off float64, k int) bool {
	var errors []float64
	for i := warmUp; i+k <= len(amounts)-k; i++ {
		if models[i].size > 0 {
			errors = append(errors, models[i].off(r, first, amounts, i, k))
		}
	}
	if len(errors) < leastSince {
		return false
	}
	slices.Sort(errors)
	middle := stat.Quantile(0.5, stat.LinInterp, errors, nil)
	return off < middle+beyond*(errors[0]-middle) || off > middle+beyond*(errors[len(errors)-1]-middle)
}

// settle moves a change that is told from the days since to where the days before and those since differ least
// among themselves.
func settle(even []float64, at int) int {
	cost := func(days []float64, least float64) float64 {
		sorted := slices.Sorted(slices.Values(days))
		middle, off := stat.Quantile(0.5, stat.LinInterp, sorted, nil), 0.0
		for _, x := range days {
			off += math.Abs(x - middle)
		}
		n := float64(len(days))
		return n * math.Log(off/n+least)
	}
	least := fine * math.Abs(middle(even[:at]))
	if least == 0 {
		return at
	}
	best, found := math.Inf(1), at
	for i := max(near, at-week); i <= len(even)-leastSince; i++ {
		if c := cost(even[:i], least) + cost(even[i:], least); c < best {
			best, found = c, i
		}
	}
	return found
}

// since estimates by the days since a change alone, with the rhythm of all. Its range has the errors
// that a level of as few days would have had before, and is wider, since what changed may change
// again. There is none if the days are too few, or if they brought nothing to measure it by.
func (r *rhythm) since(first affiliate.Day, amounts []float64, c *change, skip, reach int, daily bool) *future {
	f := &future{}
	n, k := len(amounts), len(amounts)-c.at
	models := r.origins(first, amounts)
	level := func(i, k int, share []float64) (level, size float64) {
		var weight float64
		for j := i - k; j < i; j++ {
			level, size, weight = level+amounts[j], size+math.Abs(amounts[j]), weight+share[r.at(first+affiliate.Day(j))]
		}
		return level / weight, size / weight
	}
	share := models[c.at].share
	now := origin{share: share}
	now.level, now.size = level(n, k, share)
	length := reach - skip
	wanted := func(i int) bool { return daily || i == length-1 }
	errors := make([][]float64, length)
	for i := max(warmUp, k); i+reach <= c.at; i++ {
		then := origin{share: models[i].share}
		then.level, then.size = level(i, k, then.share)
		var e errorOf
		for j := range length {
			value, size := then.ahead(r, first+affiliate.Day(i+skip+j))
			e.expected, e.scale, e.came = e.expected+value, e.scale+size, e.came+amounts[i+skip+j]
			if wanted(j) && e.scale > 0 {
				errors[j] = append(errors[j], (e.came-e.expected)/e.scale)
			}
		}
		f.origins++
	}
	f.young = k < leastRange || now.size == 0 || f.origins < leastOrigins
	f.fill(length, wanted, func(i int) (float64, float64) { return now.ahead(r, first+affiliate.Day(n+skip+i)) },
		func(i int) (low, high float64) {
			low, high = bounds(errors[i], c.at-warmUp, skip+i+1)
			return unsettled * low, unsettled * high
		})
	return f
}
