package estimate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/soak"
	"rebatedesk/reports/estimate"
)

// Programmes whose future only this test knows. They share nothing with the simulator: each shape is
// the mean of a day, with its chance, from a day on which something may change.
type shape struct {
	name   string
	breaks bool
	day    func(p *programmeOf, i int) float64 // i: days since the first; from p.at on a break holds
}

// programmeOf is one programme of a shape.
type programmeOf struct {
	*rand.Rand
	at    int     // the day of a break
	size  float64 // of it
	state float64 // of a level that wanders
	noise float64
	left  int // days until it is switched
	off   bool
}

func (p *programmeOf) even() float64 { return 100 * math.Exp(p.noise*p.NormFloat64()) }

var shapes = []shape{
	{"flat", false, func(p *programmeOf, i int) float64 { return p.even() }},
	{"weekday", false, func(p *programmeOf, i int) float64 {
		return p.even() * []float64{0.2, 1.3, 1.4, 1.2, 1.3, 1.2, 0.4}[i%7]
	}},
	{"heavy tail", false, func(p *programmeOf, i int) float64 { return 40 / math.Pow(1-p.Float64(), 1/2.2) }},
	{"spikes", false, func(p *programmeOf, i int) float64 {
		if p.Float64() < 0.04 {
			return p.even() * 10
		}
		return p.even()
	}},
	{"sparse", false, func(p *programmeOf, i int) float64 {
		if p.Float64() < 0.7 {
			return 0
		}
		return 3 * p.even()
	}},
	{"negative days", false, func(p *programmeOf, i int) float64 {
		if p.Float64() < 0.06 {
			return -p.even()
		}
		return p.even()
	}},
	{"up", false, func(p *programmeOf, i int) float64 { return p.even() * math.Exp(float64(i)/250) }},
	{"down", false, func(p *programmeOf, i int) float64 { return p.even() * math.Exp(-float64(i)/250) }},
	{"on-off", false, func(p *programmeOf, i int) float64 {
		if p.left--; p.left < 0 {
			p.left, p.off = 5+p.IntN(20), !p.off
		}
		if p.off {
			return p.even() * 0.4
		}
		return p.even() * 1.6
	}},
	{"whale", false, func(p *programmeOf, i int) float64 { // half of all is one, who trades a few days a week
		if p.Float64() < 0.3 {
			return p.even() + 3*p.even()
		}
		return p.even()
	}},
	{"launch", false, func(p *programmeOf, i int) float64 { return p.even() * (1 - math.Exp(-float64(i)/120)) }},
	{"walk", false, func(p *programmeOf, i int) float64 {
		p.state = 0.995*p.state + 0.06*p.NormFloat64()
		return p.even() * math.Exp(p.state)
	}},
	{"month start", false, func(p *programmeOf, i int) float64 {
		if _, _, day := (shapesFrom + affiliate.Day(i)).Date(); day <= 5 {
			return p.even() * 5
		}
		return p.even() * 0.2
	}},
	{"boom", true, func(p *programmeOf, i int) float64 {
		if i >= p.at {
			return p.even() * (2 + p.size)
		}
		return p.even()
	}},
	{"crash", true, func(p *programmeOf, i int) float64 {
		if i >= p.at {
			return p.even() * (0.15 + 0.25*p.size)
		}
		return p.even()
	}},
	{"silence", true, func(p *programmeOf, i int) float64 {
		if i >= p.at {
			return 0
		}
		return p.even()
	}},
}

// The day on which programmes begin, and the month whose end is asked for.
var (
	shapesFrom = affiliate.NewDay(2025, time.October, 1)
	asked      = affiliate.Days{First: affiliate.NewDay(2026, time.November, 1), Last: affiliate.NewDay(2026, time.November, 30)}
	december   = affiliate.Days{First: asked.Last + 1, Last: asked.Last + 31}
)

// question is a day on which the end of a month is asked for.
type question struct {
	on    affiliate.Day
	month affiliate.Days
}

var questions = []question{{asked.First + 4, asked}, {asked.First + 9, asked}, {asked.First + 14, asked}, {asked.First + 19, asked}, {asked.First + 24, asked}, {asked.First + 28, asked}, {asked.First + 28, december}}

// made draws a programme of a shape. A break begins some days before the question.
func (s shape) made(seed uint64, on affiliate.Day) estimate.PastDays {
	r := rand.New(rand.NewPCG(seed, uint64(len(s.name))<<8+uint64(s.name[0])))
	p := &programmeOf{Rand: r, noise: 0.15 + 0.35*r.Float64(), size: r.Float64()}
	p.at = int(on-shapesFrom) - 1 - r.IntN(20)
	if s.name == "launch" {
		p.at = 0
	}
	h := estimate.PastDays{First: shapesFrom, Amounts: make([]decimal.Decimal, int(december.Last-shapesFrom)+1)}
	for i := range h.Amounts {
		h.Amounts[i] = decimal.NewFromFloat(s.day(p, i)).Round(2)
	}
	return h
}

// outcome counts how the forecasts of a shape did.
type outcome struct {
	held, ranged, of, told int
	wide, settled          int     // of those told: with a range, and held
	off                    float64 // relative to a mean month
}

func (o *outcome) add(x outcome) {
	o.held, o.ranged, o.of, o.told, o.off = o.held+x.held, o.ranged+x.ranged, o.of+x.of, o.told+x.told, o.off+x.off
	o.wide, o.settled = o.wide+x.wide, o.settled+x.settled
}

func percent(part, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(of))
}

func (o outcome) line(name string) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %.1f %% |", name, percent(o.told, o.of), percent(o.of-o.ranged, o.of), percent(o.held, o.ranged),
		percent(o.settled, o.wide), 100*o.off/float64(o.of))
}

func (s shape) asked(t *testing.T, seed uint64, q question) outcome {
	t.Helper()
	h := s.made(seed, q.on)
	e, err := estimate.Make(h.Until(q.on), estimate.Begun{}, q.month)
	if err != nil {
		t.Fatal(err)
	}
	o, came := outcome{of: 1}, h.Sum(q.month)
	if e.Break != nil {
		o.told = 1
	}
	if e.Ranged() {
		if o.ranged = 1; e.Held(came) {
			o.held = 1
		}
		if e.Break != nil {
			o.wide, o.settled = 1, o.held
		}
	}
	month := h.Sum(affiliate.Days{First: asked.First - 365, Last: asked.First - 1}).Div(decimal.NewFromInt(12)).InexactFloat64()
	o.off = math.Abs(e.Expected.Sub(came).InexactFloat64()) / month
	return o
}

// TestSoakShapes asks where a month will end, of programmes of many shapes whose future it knows. Breaks
// began one to twenty days before the question, so some are too young for anybody to tell.
func TestSoakShapes(t *testing.T) {
	t.Parallel()
	programmes := uint64(soak.Times(6, 20))
	var table []string
	var steady, broken outcome
	for _, s := range shapes {
		var sum outcome
		for seed := range programmes {
			for _, q := range questions {
				sum.add(s.asked(t, 77+seed, q))
			}
		}
		table = append(table, sum.line(s.name))
		if s.breaks {
			broken.add(sum)
		} else {
			steady.add(sum)
		}
	}
	table = append(table, steady.line("**without a break**"), broken.line("**after a break**"))
	t.Log("\n" + strings.Join(table, "\n"))
	if held := 100 * steady.held / steady.ranged; held < 75 || held > 92 {
		t.Errorf("without a break the range held in %d %% of all cases", held)
	}
	if off := steady.off / float64(steady.of); off > 0.125 {
		t.Errorf("without a break the mean error is %.1f %%", 100*off)
	}
	if fair := 100 * (broken.of - broken.ranged + broken.held) / broken.of; fair < 60 {
		t.Errorf("after a break the range was withheld or held in %d %% of all cases", fair)
	}
	if held := 100 * broken.settled / broken.wide; held < 60 {
		t.Errorf("after a break that was told the range held in %d %% of all cases", held)
	}
	inDoc(t, strings.Join(table, "\n"))
}

// inDoc checks that the description of the method has a table of a whole run.
func inDoc(t *testing.T, table string) {
	t.Helper()
	if doc, err := os.ReadFile("../../docs/method.md"); err != nil {
		t.Error(err)
	} else if soak.Long() && !strings.Contains(string(doc), table) {
		t.Error("docs/method.md has another table: replace it with the one above")
	}
}

// TestSoakFalseAlarms asks every day, or every fourth in a short run, whether the level changed, of programmes in which nothing breaks. A level
// that wanders does double or halve in a few weeks, so it is counted apart.
func TestSoakFalseAlarms(t *testing.T) {
	t.Parallel()
	programmes, apart := uint64(soak.Times(1, 4)), affiliate.Day(soak.Times(4, 1))
	var years float64
	alarms := map[string]int{}
	for _, s := range shapes {
		if s.breaks {
			continue
		}
		for seed := range programmes {
			h := s.made(500+seed, asked.First)
			last := shapesFrom
			for on := shapesFrom + 90; on < december.Last; on += apart {
				e, err := estimate.Make(h.Until(on), estimate.Begun{}, affiliate.Days{First: on, Last: on + 6})
				if err != nil {
					t.Fatal(err)
				}
				if s.name != "walk" {
					years += float64(apart) / 365
				}
				if e.Break == nil {
					continue
				}
				if on > last+30 {
					alarms[s.name]++
					t.Logf("%s, programme %d: told on %s since %s, from %s to %s", s.name, seed, on, e.Break.Since, e.Break.Before, e.Break.After)
				}
				last = on
			}
		}
	}
	walks, total := alarms["walk"], 0
	for _, n := range alarms {
		total += n
	}
	t.Logf("%d alarms in %.0f programme-years, and %d of a level that wanders", total-walks, years, walks)
	if float64(total-walks) > years/20 {
		t.Errorf("%d false alarms in %.0f programme-years: %v", total-walks, years, alarms)
	}
}

// A silence ends what is expected, is told with its first day and the means around it, and leaves no
// range; in time, too.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, silent := range []int{5, 10, 40, 139, 150, 300} {
		list, draw := make([]decimal.Decimal, 200+silent), rand.New(rand.NewPCG(7, 7))
		for i := range 200 {
			list[i] = decimal.New(8000+draw.Int64N(4000), -2)
		}
		h := until(21, list)
		e, err := estimate.Make(h, estimate.Begun{}, november)
		if err != nil || e.Break == nil || e.Ranged() || e.Held(e.Earned) || !e.Expected.Equal(e.Earned) {
			t.Fatalf("after %d silent days: %+v, %v", silent, e, err)
		}
		before := decimal.Zero
		for _, amount := range list[200-estimate.BreakDays : 200] {
			before = before.Add(amount)
		}
		before = before.DivRound(decimal.NewFromInt(estimate.BreakDays), 2)
		if e.Break.Since != h.Next()-affiliate.Day(silent) || !e.Break.After.IsZero() || !e.Break.Before.Round(2).Equal(before) {
			t.Errorf("after %d silent days it is told since %s, from %s to %s, not from %s", silent, e.Break.Since, e.Break.Before, e.Break.After, before)
		}
		path, err := estimate.DayByDay(h, estimate.Begun{}, november)
		if err != nil || len(path) != 10 || !path[9].Expected.Equal(e.Expected) {
			t.Errorf("after %d silent days the path is %v, %v", silent, path, err)
		}
	}
}
