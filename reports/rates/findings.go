package rates

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// Deviation is a finding: records that were paid otherwise than agreed or, where nothing was
// agreed, otherwise than before, of one invitee or of several with something in common.
type Deviation struct {
	ID      string // stays the same while the deviation goes on
	Account affiliate.Account
	Scope   terms.Scope // what its invitees have in common
	Value   string      // the code or the UID
	Product affiliate.Product
	Break   bool // a rate that was constant changed; nothing was agreed
	Over    bool // more was paid

	Days     affiliate.Days
	From, To affiliate.Millis // deal times of the first and the last record
	Invitees int
	Lines    []Line     // by invitee, product and coin
	Costs    []CoinCost // by coin, the one with most records first
}

// CoinCost is what a deviation concerns in one coin.
type CoinCost struct {
	Coin                        affiliate.Coin
	Records                     int64
	Fee                         decimal.Decimal
	Due, Commission, Difference decimal.Decimal // Difference = Commission − Due; a loss is negative
}

// run is the deviating records of a series, in one direction.
type run struct {
	*series
	over, found bool
	after, by   affiliate.Millis // the deviation began after the one instant, and by the other
	lines       []Line           // one for each coin and pair of rates
	at          map[runLine]int  // of lines
}

// runLine names a line of a run.
type runLine struct {
	coin     affiliate.Coin
	expected *expected
	paid     rate
}

// againAfter is how many records paid as agreed end a deviation: fewer interrupt it.
const againAfter = 50

// findRuns returns the deviations of a series, each with the instants between which it began. Those of
// a break have all records since that show a rate, so that their cost is that of the change.
func (s *series) findRuns(zone *time.Location) []run {
	type openKey struct {
		over     bool
		expected *expected
	}
	var list []run
	open, between := map[openKey]int{}, map[openKey]int64{}
	good := affiliate.Millis(math.MinInt64) // the end of what was paid as expected, or not judged
	for i := range s.pieces {
		p := &s.pieces[i]
		begin, end := p.from, p.to
		if begin == 0 {
			begin, end = affiliate.MillisOf((p.days.First+1).Start(zone))-1, affiliate.MillisOf(p.days.Last.Start(zone))
		}
		if p.expected == nil || p.days.First < s.first {
			if p.kind == paid || p.kind == mixed {
				good = end
			}
			continue
		}
		turned := p.expected.found
		for n := range p.coins {
			c := &p.coins[n]
			cause := s.causeOf(p, c)
			key := openKey{cause == Overpaid, p.expected}
			if turned != nil {
				key.over = turned.after.Decimal().GreaterThan(turned.before.Decimal())
			}
			at, known := open[key]
			deviates := cause == Underpaid || cause == Overpaid
			if turned != nil {
				deviates = deviates || known && cause != NoCommission && (p.kind == paid || p.kind == free)
			}
			if !deviates {
				if p.kind == paid && (cause == AsAgreed || cause == Rounded) && c.fee.Cmp(&zero) > 0 {
					good = end
					for of := range open {
						between[of] += c.records
					}
				}
				continue
			}
			if !known || turned == nil && between[key] >= againAfter {
				at = len(list)
				list = append(list, run{series: s, over: key.over, found: turned != nil, after: good, by: max(begin, good), at: map[runLine]int{}})
				open[key] = at
			}
			between[key] = 0
			list[at].add(p, c, cause)
		}
	}
	return list
}

func (r *run) add(p *piece, c *coinPart, cause Cause) {
	key := runLine{c.coin, p.expected, p.rate}
	at, ok := r.at[key]
	if !ok {
		at = len(r.lines)
		r.at[key] = at
		r.lines = append(r.lines, Line{InviteeKey: r.InviteeKey, Code: r.code, Product: r.Product, Source: r.Source, Coin: c.coin, Term: p.expected.term,
			Days: c.days, From: c.from, Agreed: p.expected.Decimal(), Paid: affiliate.Number(p.rate.Decimal().String()), Cause: cause})
	}
	l := &r.lines[at]
	l.Days.Last, l.To = c.days.Last, c.to
	l.Records += c.records
	l.Fee.AddSum(c.fee)
	l.Commission.AddSum(c.commission)
	l.Due = affiliate.Times(l.Fee.Decimal(), l.Agreed)
}

// bundle is runs that began at the same time.
type bundle []run

// findings gathers deviations. Those that began at the same time become one: of the programme, of
// a product or of a code if most of its invitees deviate, otherwise of each invitee.
func (a *audit) findings() []Deviation {
	groups := map[runKey][]run{}
	for _, s := range a.series {
		for _, r := range s.runs {
			key := runKey{s.Account, r.over, r.found, "", ""}
			if !r.found {
				key.scope, key.value = r.lines[0].Term.Scope, r.lines[0].Term.Value
			}
			groups[key] = append(groups[key], r)
		}
	}
	var list []Deviation
	for key, runs := range groups {
		for _, b := range together(runs) {
			list = append(list, a.name(key, b)...)
		}
	}
	slices.SortFunc(list, func(a, b Deviation) int {
		return cmp.Or(cmp.Compare(a.Days.First, b.Days.First), cmp.Compare(a.ID, b.ID))
	})
	seen := map[string]int{}
	for i := range list { // the same deviation can come back
		if seen[list[i].ID]++; seen[list[i].ID] > 1 {
			list[i].ID += fmt.Sprintf("-%d", seen[list[i].ID])
		}
	}
	slices.SortFunc(list, func(a, b Deviation) int {
		return cmp.Or(cmp.Compare(flagOf(a.Over), flagOf(b.Over)), compareCosts(a.Costs, b.Costs), cmp.Compare(a.Days.First, b.Days.First), cmp.Compare(a.ID, b.ID))
	})
	return list
}

type runKey struct {
	account     affiliate.Account
	over, found bool
	scope       terms.Scope // of the term: no finding is wider; empty of a break
	value       string
}

// covers reports whether records with what is expected of them belong to the key.
func (k runKey) covers(e *expected) bool {
	if k.found {
		return e == nil || e.found != nil
	}
	return e != nil && e.found == nil && e.term.Scope == k.scope && e.term.Value == k.value
}

func flagOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareCosts puts the highest cost first, coin by coin.
func compareCosts(a, b []CoinCost) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	return cmp.Or(cmp.Compare(a[0].Coin, b[0].Coin), b[0].Difference.Abs().Cmp(a[0].Difference.Abs()))
}

// together divides runs into bundles: an instant at which as many of them as possible can have
// begun, and so on with the rest.
func together(runs []run) []bundle {
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.by, b.by), a.compare(b.seriesKey)) })
	var bundles []bundle
	begins := make([]affiliate.Millis, 0, len(runs))
	for len(runs) > 0 {
		begins = begins[:0]
		for i := range runs {
			begins = append(begins, min(runs[i].after, runs[i].by-1))
		}
		slices.Sort(begins)
		best, most, begun := runs[0].by, 0, 0
		for i := range runs { // i of them had begun for certain before this instant
			at := runs[i].by
			for begun < len(begins) && begins[begun] < at {
				begun++
			}
			if (i == 0 || runs[i-1].by < at) && begun-i > most {
				best, most = at, begun-i
			}
		}
		if most <= 1 { // no two of them can have begun together
			for i := range runs {
				bundles = append(bundles, runs[i:i+1:i+1])
			}
			break
		}
		var own bundle
		var rest []run
		for _, r := range runs {
			if r.by >= best && min(r.after, r.by-1) < best {
				own = append(own, r)
			} else {
				rest = append(rest, r)
			}
		}
		bundles, runs = append(bundles, own), rest
	}
	return bundles
}

// name divides a bundle into the widest subjects of which most invitees deviate.
func (a *audit) name(key runKey, b bundle) []Deviation {
	var first affiliate.Day = math.MaxInt32
	for _, r := range b {
		first = min(first, r.lines[0].Days.First)
	}
	var could []*series // found when they are needed: most bundles are of one invitee
	most := func(some bundle, wanted func(seriesKey, string) bool) bool {
		own, all := map[sums.InviteeKey]bool{}, map[sums.InviteeKey]bool{}
		for _, r := range some {
			own[r.InviteeKey] = true
		}
		if len(own) < 2 {
			return false
		}
		if could == nil {
			could = a.candidates(key, first)
		}
		for _, s := range could {
			if wanted(s.seriesKey, s.code) {
				all[s.InviteeKey] = true
			}
		}
		return 2*len(own) > len(all)
	}
	wide := key.scope != terms.ScopeCode && key.scope != terms.ScopeUID
	if product := commonProduct(b); !wide {
		// the term is about one code or one invitee
	} else if product == "" {
		if most(b, func(seriesKey, string) bool { return true }) {
			return []Deviation{deviationOf(key, terms.ScopeAll, "", b)}
		}
	} else if most(b, func(k seriesKey, _ string) bool { return k.Product == product }) {
		return []Deviation{deviationOf(key, terms.ScopeAll, "", b)}
	}
	var list []Deviation
	for _, product := range []affiliate.Product{affiliate.Spot, affiliate.Futures} { // one product of most, and others
		own := slices.DeleteFunc(slices.Clone(b), func(r run) bool { return r.Product != product })
		if wide && len(own) < len(b) && most(own, func(k seriesKey, _ string) bool { return k.Product == product }) {
			list = append(list, deviationOf(key, terms.ScopeAll, "", own))
			b = slices.DeleteFunc(b, func(r run) bool { return r.Product == product })
		}
	}
	codes, people := map[string]bundle{}, map[affiliate.UID]bundle{}
	for _, r := range b {
		codes[r.code] = append(codes[r.code], r)
	}
	for code, own := range codes {
		product := commonProduct(own)
		if code != "" && most(own, func(k seriesKey, of string) bool { return of == code && (product == "" || k.Product == product) }) {
			list = append(list, deviationOf(key, terms.ScopeCode, code, own))
			continue
		}
		for _, r := range own {
			people[r.UID] = append(people[r.UID], r)
		}
	}
	for uid, own := range people {
		list = append(list, deviationOf(key, terms.ScopeUID, string(uid), own))
	}
	return list
}

// candidates are the series of an account in which the deviation could have shown: those with
// records that were judged on its first day or later. Of a break, those with enough records before.
func (a *audit) candidates(key runKey, first affiliate.Day) (list []*series) {
	least := int64(1)
	if key.found {
		least = leastRecords
	}
	for _, s := range a.series {
		if s.Account == key.account && s.since(key, first, least) && (!key.found || s.before(key, first, least)) {
			list = append(list, s)
		}
	}
	return list
}

// since reports whether a series has that many records that were judged on a day or later. Records
// that were all paid alike can lie on both sides of a day.
func (s *series) since(key runKey, first affiliate.Day, least int64) bool {
	for i := len(s.pieces) - 1; i >= 0 && least > 0 && s.pieces[i].days.Last >= first; i-- {
		if p := &s.pieces[i]; p.kind == paid && key.covers(p.expected) {
			least -= p.records()
		}
	}
	return least <= 0
}

// before is since for the days before a day.
func (s *series) before(key runKey, first affiliate.Day, least int64) bool {
	for i := 0; i < len(s.pieces) && least > 0 && s.pieces[i].days.First < first; i++ {
		if p := &s.pieces[i]; p.kind == paid && key.covers(p.expected) {
			least -= p.records()
		}
	}
	return least <= 0
}

// commonProduct returns the product of all runs, or empty if they have several.
func commonProduct(b bundle) affiliate.Product {
	for _, r := range b {
		if r.Product != b[0].Product {
			return ""
		}
	}
	return b[0].Product
}

func deviationOf(key runKey, scope terms.Scope, value string, b bundle) Deviation {
	d := Deviation{Account: key.account, Scope: scope, Value: value, Product: commonProduct(b), Break: key.found, Over: key.over}
	people := map[affiliate.UID]bool{}
	for _, r := range b {
		people[r.UID] = true
		d.Lines = append(d.Lines, r.lines...)
	}
	d.Invitees = len(people)
	slices.SortFunc(d.Lines, func(a, b Line) int { return compareLines(&a, &b) })
	d.Days = d.Lines[0].Days
	for i := range d.Lines {
		l := &d.Lines[i]
		d.Days = affiliate.Days{First: min(d.Days.First, l.Days.First), Last: max(d.Days.Last, l.Days.Last)}
		d.cost(l)
	}
	slices.SortFunc(d.Costs, func(a, b CoinCost) int { return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin)) })
	d.ID = d.id()
	return d
}

func (d *Deviation) cost(l *Line) {
	at := slices.IndexFunc(d.Costs, func(c CoinCost) bool { return c.Coin == l.Coin })
	if at < 0 {
		at = len(d.Costs)
		d.Costs = append(d.Costs, CoinCost{Coin: l.Coin})
	}
	c := &d.Costs[at]
	c.Records += l.Records
	c.Fee = c.Fee.Add(l.Fee.Decimal())
	c.Due = c.Due.Add(l.Due)
	c.Commission = c.Commission.Add(l.Commission.Decimal())
	c.Difference = c.Commission.Sub(c.Due)
}

// id names the finding by what does not change while it goes on: whom it concerns, the term and
// the rates of its first line or, of a break, the day.
func (d *Deviation) id() string {
	text := fmt.Sprintf("%q %q %q %q %t %t", d.Account, d.Scope, d.Value, d.Product, d.Break, d.Over)
	if d.Break {
		text += " " + d.Days.First.String()
	} else {
		first := &d.Lines[0]
		for i := range d.Lines {
			if d.Lines[i].Days.First < first.Days.First {
				first = &d.Lines[i]
			}
		}
		text += fmt.Sprintf(" %d %s %s", first.Term.ID, first.Agreed, first.Paid)
	}
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:6])
}
