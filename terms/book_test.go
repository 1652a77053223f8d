package terms

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

const jan = affiliate.Day(20454) // 2026-01-01

func drawTerms(t *rapid.T) []Term {
	drawn := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Term {
		term := Term{
			Account: rapid.SampledFrom([]affiliate.Account{"", "main"}).Draw(t, "account"),
			Scope:   rapid.SampledFrom(AllScopes()).Draw(t, "scope"),
			Product: rapid.SampledFrom([]affiliate.Product{"", affiliate.Spot}).Draw(t, "product"),
			Rate:    rapid.SampledFrom([]affiliate.Number{"0", "0.1", "0.25", "0.250", "1"}).Draw(t, "rate"),
			From:    jan + affiliate.Day(rapid.IntRange(0, 40).Draw(t, "from")),
			Note:    rapid.SampledFrom([]string{"", "=1+1", "'=a", "'quoted'", "-", "a,\"b\";c", "+", "a\nb\n\nc"}).Draw(t, "note"),
		}
		if rapid.Bool().Draw(t, "ends") {
			term.To = term.From + affiliate.Day(rapid.IntRange(0, 30).Draw(t, "days"))
		}
		switch term.Scope {
		case ScopeCode:
			term.Value = rapid.SampledFrom([]string{"A", "=B"}).Draw(t, "code")
		case ScopeUID:
			term.Value = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "uid")
		case ScopeSubAffiliate:
			term.Value = rapid.SampledFrom([]string{"", "9"}).Draw(t, "sub")
		}
		if term.Scope != ScopeSubAffiliate {
			term.Source = rapid.SampledFrom([]affiliate.Source{"", affiliate.Direct}).Draw(t, "source")
		}
		if tier := rapid.SampledFrom([]affiliate.Number{"", "0", "100", "200.5"}).Draw(t, "tier"); tier != "" {
			term.TierBy, term.TierFrom = TierByVolume, tier
		}
		return term
	}), 0, 25).Draw(t, "terms")
	// Only the first of each series and day: others could contradict it.
	var kept []Term
	for i, term := range drawn {
		if !slices.ContainsFunc(drawn[:i], func(o Term) bool { return o.Key() == term.Key() && o.From == term.From }) {
			kept = append(kept, term)
		}
	}
	return kept
}

func rat(n affiliate.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic(n)
	}
	return r
}

// naive goes through all terms for one record, without series and without an order: a term
// applies if nothing beats it.
func naive(terms []Term, e Earning, share bool, measure Measure) (found []Term) {
	fits := func(t Term) bool {
		switch {
		case share != (t.Scope == ScopeSubAffiliate),
			t.Account != "" && t.Account != e.Account, t.Product != "" && t.Product != e.Product, t.Source != "" && t.Source != e.Source:
			return false
		case t.Scope == ScopeCode:
			return t.Value == e.Code
		case t.Scope == ScopeUID, share && t.Value != "":
			return t.Value == string(e.UID)
		}
		return true
	}
	inForce := func(t Term) bool {
		if e.Day < t.From || t.To != 0 && e.Day > t.To {
			return false
		}
		for _, later := range terms {
			if later.Key() == t.Key() && later.From > t.From && later.From <= e.Day {
				return false
			}
		}
		if t.TierBy == "" {
			return true
		}
		value := t.Value
		if share {
			value = string(e.UID)
		}
		y, m, _ := e.Day.Date()
		figure := measure(TierMonth{t.TierBy, t.Account, t.Scope, value, t.Product, t.Source, affiliate.NewDay(y, m, 1)})
		return rat(figure).Cmp(rat(t.TierFrom)) >= 0
	}
	// rank is a word that sorts by precedence.
	rank := func(t Term) string {
		is := func(stated bool) int {
			if stated {
				return 1
			}
			return 0
		}
		scope := map[Scope]int{ScopeAll: 0, ScopeCode: 1, ScopeUID: 2, ScopeSubAffiliate: is(t.Value != "")}[t.Scope]
		tier := "."
		if t.TierBy != "" {
			tier = rat(t.TierFrom).FloatString(3)
		}
		return fmt.Sprint(scope, is(t.Account != ""), is(t.Product != ""), is(t.Source != ""), fmt.Sprintf(" %10s", tier))
	}
	best := ""
	for _, t := range terms {
		if !fits(t) || !inForce(t) {
			continue
		}
		switch r := rank(t); {
		case r > best:
			best, found = r, []Term{t}
		case r == best:
			found = append(found, t)
		}
	}
	return found
}

func TestBookFollowsTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		// The order of the lines does not matter.
		book := NewBook(rapid.Permutation(terms).Draw(t, "order"))
		measure := func(asked TierMonth) affiliate.Number {
			return affiliate.Number(fmt.Sprintf("%d.5", (len(asked.Account)*40+len(asked.Value)*90+int(asked.Month))%250))
		}
		for range 20 {
			e := Earning{
				Account: rapid.SampledFrom([]affiliate.Account{"main", "second"}).Draw(t, "account"),
				UID:     rapid.SampledFrom([]affiliate.UID{"1", "-2", "9"}).Draw(t, "uid"),
				Code:    rapid.SampledFrom([]string{"", "A", "=B"}).Draw(t, "code"),
				Product: rapid.SampledFrom(affiliate.Products()).Draw(t, "product"),
				Source:  rapid.SampledFrom(affiliate.Sources()).Draw(t, "source"),
				Day:     jan + affiliate.Day(rapid.IntRange(-2, 75).Draw(t, "day")),
			}
			got, ok := book.Of(e, measure)
			check(t, terms, e, got, ok, naive(terms, e, false, measure))
			e.Source, e.Code = "", ""
			got, ok = book.Share(e.Account, e.UID, e.Product, e.Day, measure)
			check(t, terms, e, got, ok, naive(terms, e, true, measure))
		}
	})
}

func check(t *rapid.T, terms []Term, e Earning, got Term, ok bool, want []Term) {
	if len(want) > 1 || ok != (len(want) == 1) || ok && got != want[0] {
		t.Fatalf("%+v\nof %+v\ngot %+v %v\nwant %+v", e, terms, got, ok, want)
	}
}

// Terms that are written and read again are the same.
func TestFileIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		if len(terms) == 0 {
			return // a file without terms is refused
		}
		var text strings.Builder
		if err := WriteFile(&text, terms); err != nil {
			t.Fatal(err)
		}
		got, err := Parse(context.Background(), []byte(text.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		line := 2
		for i := range got.Terms {
			if got.Terms[i].Line != line {
				t.Fatalf("term %d is of line %d, want %d", i, got.Terms[i].Line, line)
			}
			line += 1 + strings.Count(got.Terms[i].Note, "\n")
			got.Terms[i].Line = 0
		}
		if !slices.Equal(got.Terms, terms) {
			t.Fatalf("%s\ngot %+v\nwant %+v", text.String(), got.Terms, terms)
		}
	})
}

func TestParseNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{",", ";", "\n", "\"", "'", "all", "uid", "1", "0.1", "2026-01-01", "volume", "\xff", "\u202e", "=", head, " "}), 0, 40).Draw(t, "words")
		f, err := Parse(context.Background(), []byte(head+strings.Join(words, "")))
		if err != nil && (err.Error() == "" || len(f.Terms) > 0) {
			t.Fatalf("%v, %+v", err, f)
		}
	})
}

func TestLaterTermEndsTheEarlier(t *testing.T) {
	first := Term{Scope: ScopeAll, Rate: "0.3", From: jan, To: jan + 100, ID: 1}
	second := Term{Scope: ScopeAll, Rate: "0.2", From: jan + 50, To: jan + 60, ID: 2}
	series := AllSeries([]Term{second, first})
	if len(series) != 1 || len(series[0].Spells) != 2 {
		t.Fatalf("%+v", series)
	}
	ended := series[0].Spells[0]
	if ended.Last != jan+49 || ended.EndedBy == nil || ended.EndedBy.ID != 2 || !ended.Shortened() {
		t.Errorf("%+v", ended)
	}
	book := NewBook([]Term{second, first})
	for day, want := range map[affiliate.Day]int64{jan - 1: 0, jan: 1, jan + 49: 1, jan + 50: 2, jan + 60: 2, jan + 61: 0, jan + 99: 0} {
		if got, ok := book.Of(Earning{Day: day}, nil); got.ID != want || ok != (want != 0) {
			t.Errorf("on %s: %+v", day, got)
		}
	}
}

// What a file does to stored terms is told, with what may surprise about it.
func TestMerge(t *testing.T) {
	stored := []Term{
		{ID: 1, Scope: ScopeAll, Rate: "0.3", From: jan, To: jan + 364},
		{ID: 2, Scope: ScopeCode, Value: "VIP", Rate: "0.4", From: jan},
		{ID: 3, Scope: ScopeUID, Value: "7", Rate: "0.5", From: jan, Note: "old"},
	}
	m, err := parse(t, head+"all,,,0.2,2026-04-01,2026-04-30,\ncode,VIP,,0.40,2026-01-01,,\nuid,7,,0.50,2026-01-01,2026-12-31,new\nuid,8,,0.1,2026-01-01,,\nuid,8,,0.2,2026-02-01,,\n").Merge(stored)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Added) != 3 || len(m.Unchanged) != 1 || m.Unchanged[0].ID != 2 || !m.Any() {
		t.Errorf("%+v", m)
	}
	if len(m.Changed) != 1 || m.Changed[0].Before.ID != 3 || m.Changed[0].After.Note != "new" || m.Changed[0].After.Rate != "0.5" || m.Changed[0].After.To.String() != "2026-12-31" {
		t.Errorf("changed: %+v", m.Changed)
	}
	if bare, err := parse(t, "scope,value,product_type,rate,from,to\nuid,7,,0.5,2026-01-01,\n").Merge(stored); err != nil || bare.Any() {
		t.Errorf("a file without notes: %+v, %v", bare, err)
	}
	if len(m.Ended) != 1 || m.Ended[0].ID != 1 || m.Ended[0].Last.String() != "2026-03-31" || m.Ended[0].EndedBy.Line != 2 {
		t.Errorf("ended: %+v", m.Ended)
	}
	want := []string{
		"Term 1 about all states its last day 2026-12-31, but line 2 ends it on 2026-03-31.",
		"Term 1 about all does not come back when line 2 has ended on 2026-04-30: give a further line from 2026-05-01, if it shall.",
	}
	if !slices.Equal(m.Remarks, want) {
		t.Errorf("remarks: %q", m.Remarks)
	}
}

// A term that begins on the last day of the one before ends it the day before.
func TestTermOfTheLastDay(t *testing.T) {
	for _, series := range AllSeries([]Term{{Scope: ScopeAll, Rate: "0.1", From: 100, To: 110}, {Scope: ScopeAll, Rate: "0.2", From: 110}}) {
		first := series.Spells[0]
		if term, ok := series.On(110); first.Last != 109 || first.Holds(110) || !first.Shortened() || !ok || term.Rate != "0.2" {
			t.Errorf("the first term holds until %d, shortened %v; on the last day %v holds", first.Last, first.Shortened(), term.Rate)
		}
	}
}
