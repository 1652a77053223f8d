package estimate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/soak"
	"rebatedesk/reports/estimate"
)

// habit is a way in which one person trades, of which a day brings about 100.
type habit struct {
	name string
	day  func(p *trader, i int) float64
}

// trader is one person with a habit.
type trader struct {
	*rand.Rand
	habit
	noise, often float64
	left         int // days until a burst begins or ends
	off          bool
}

func (p *trader) even() float64 { return 100 * math.Exp(p.noise*p.NormFloat64()) }

// bursts are days that bring much, and days that bring little.
func (p *trader) burst(least, most int) bool {
	if p.left--; p.left < 0 {
		p.left, p.off = least+p.IntN(most-least), !p.off
	}
	return !p.off
}

var habits = []habit{
	{"every day", func(p *trader, i int) float64 { return p.even() }},
	{"by weekday", func(p *trader, i int) float64 {
		return p.even() * []float64{0.2, 1.3, 1.4, 1.2, 1.3, 1.2, 0.4}[i%7]
	}},
	{"heavy tail", func(p *trader, i int) float64 { return 40 / math.Pow(1-p.Float64(), 1/2.2) }},
	{"large days", func(p *trader, i int) float64 {
		if p.Float64() < 0.04 {
			return p.even() * 10
		}
		return p.even()
	}},
	{"some days", func(p *trader, i int) float64 {
		if p.Float64() > p.often {
			return 0
		}
		return p.even() / p.often
	}},
	{"taken back", func(p *trader, i int) float64 {
		if p.Float64() < 0.06 {
			return -p.even()
		}
		return p.even()
	}},
	{"in bursts", func(p *trader, i int) float64 {
		if p.burst(5, 25) {
			return p.even() * 1.6
		}
		return p.even() * 0.4
	}},
	{"with pauses", func(p *trader, i int) float64 {
		if p.burst(3, 15) {
			return p.even() * 2
		}
		return 0
	}},
}

// trading draws somebody with a habit.
func trading(r *rand.Rand, h habit) *trader {
	return &trader{Rand: r, habit: h, noise: 0.15 + 0.6*r.Float64(), often: 0.3 + 0.5*r.Float64()}
}

// days returns what somebody brings, weighted; from the day at on only a part of it.
func (p *trader) days(n int, weight float64, at int, part float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		if list[i] = weight * p.day(p, i); i >= at {
			list[i] *= part
		}
	}
	return list
}

// together draws a programme: eight large people of any habit, in four codes with many others. It returns all
// series that are watched: of the programme, of codes and of people with five percent of it.
func together(seed uint64, n int) (watched [][]float64) {
	r := rand.New(rand.NewPCG(seed, 41))
	all, codes, people := make([]float64, n), make([][]float64, 4), make([][]float64, 8)
	add := func(to, of []float64) {
		for i, x := range of {
			to[i] += x
		}
	}
	for c := range codes {
		others := trading(r, habits[1])
		others.noise = 0.2
		codes[c] = others.days(n, 0.2+0.6*r.Float64(), n, 1)
	}
	for i := range people {
		people[i] = trading(r, habits[r.IntN(len(habits))]).days(n, 1/float64(i+1), n, 1)
		add(codes[r.IntN(len(codes))], people[i])
	}
	for _, of := range codes {
		add(all, of)
	}
	sum := func(of []float64) (total float64) {
		for _, x := range of[max(0, n-180):] {
			total += x
		}
		return total
	}
	watched = append(watched, all)
	for _, of := range append(codes, people...) {
		if sum(of) >= 0.05*sum(all) {
			watched = append(watched, of)
		}
	}
	return watched
}

// known returns a history of some days before a day.
func known(of []float64, on, days int) estimate.PastDays {
	from := max(0, on-days)
	h := estimate.PastDays{First: shapesFrom + affiliate.Day(from)}
	for _, x := range of[from:on] {
		h.Amounts = append(h.Amounts, decimal.NewFromFloat(x).Round(2))
	}
	return h
}

// TestSoakWatchedFalseAlarms asks, of programmes in which nothing changes, whether the level of anything that is
// watched changed: by the forecast of the whole, or among all that is watched together.
func TestSoakWatchedFalseAlarms(t *testing.T) {
	t.Parallel()
	programmes, apart := soak.Times(6, 120), soak.Times(7, 3)
	alarms, series := 0, 0
	for seed := range programmes {
		list := together(9000+uint64(seed), 765)
		series += len(list)
		for i, of := range list {
			last := -99
			for on := 400; on < 765; on += apart {
				h := known(of, on, 400)
				b := estimate.BreakOf(h, len(list))
				if i == 0 && b == nil {
					e, err := estimate.Make(h, estimate.Begun{}, affiliate.Days{First: h.Next(), Last: h.Next() + 6})
					if err != nil {
						t.Fatal(err)
					}
					b = e.Break
				}
				if b == nil {
					continue
				}
				if on > last+30 {
					alarms++
					t.Logf("programme %d, series %d of %d: told on day %d since %d, from %s to %s", seed, i, len(list), on, b.Since-shapesFrom, b.Before, b.After)
				}
				last = on
			}
		}
	}
	t.Logf("%d alarms of %d series in %d programme-years", alarms, series, programmes)
	if 20*alarms > programmes {
		t.Errorf("%d false alarms in %d programme-years", alarms, programmes)
	}
}

// fallen are the parts of a level that is left, each with days within which it is looked for.
var fallen = []struct {
	part   float64
	within []int
}{{0.5, []int{28, 56}}, {0.35, []int{14, 28}}, {0.2, []int{14, 28}}, {0, []int{7, 28}}}

// TestSoakWatchedChanges asks how soon it is told that one of twelve series that are watched together fell.
func TestSoakWatchedChanges(t *testing.T) {
	t.Parallel()
	n, apart := soak.Times(6, 40), soak.Times(2, 1)
	many := habit{"a code of many", func(p *trader, i int) float64 {
		return 100 * math.Exp(0.2*p.NormFloat64()) * (1 + 0.3*math.Sin(float64(i%7)))
	}}
	regular := []string{many.name, habits[0].name, habits[1].name, habits[2].name}
	var table []string
	var told, asked [4][2]int // of the regular ones, by part and days
	for _, h := range append([]habit{many}, habits...) {
		row := "| " + h.name + " |"
		for f, fall := range fallen {
			found := make([]int, len(fall.within))
			for seed := range n {
				of := trading(rand.New(rand.NewPCG(uint64(seed), 43)), h).days(460, 1, 400, fall.part)
				for on := 403; on <= 400+fall.within[1]; on += apart {
					if estimate.BreakOf(known(of, on, 400), 12) == nil {
						continue
					}
					for i, within := range fall.within {
						if on-400 <= within {
							found[i]++
						}
					}
					break
				}
			}
			for i := range found {
				row += " " + percent(found[i], n) + " |"
				if slices.Contains(regular, h.name) {
					told[f][i], asked[f][i] = told[f][i]+found[i], asked[f][i]+n
				}
			}
		}
		table = append(table, row)
	}
	t.Log("\n" + strings.Join(table, "\n"))
	for f, least := range []int{80, 90, 95, 99} {
		if got := 100 * told[f][1] / asked[f][1]; got < least {
			t.Errorf("a fall to %.0f %% is told in %d %% of all cases within %d days, want %d %%", 100*fallen[f].part, got, fallen[f].within[1], least)
		}
	}
	inDoc(t, strings.Join(table, "\n"))
}
