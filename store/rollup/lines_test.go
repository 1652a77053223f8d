package rollup

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

// The lines of a name are found without those of other names, even if the name is a
// prefix of another, contains the separator, or has no lines.
func TestLinesAbout(t *testing.T) {
	names := rapid.StringOfN(rapid.SampledFrom([]rune("01\t\n\\t")), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		changes := map[string]change{}
		named := map[string]int{}
		for range rapid.IntRange(0, 90).Draw(t, "lines") {
			k := LineKey{names.Draw(t, "name"), LineKind{Coin: "USDT", Product: affiliate.Spot}}
			if rapid.Bool().Draw(t, "futures") {
				k.Product = affiliate.Futures
			}
			if _, ok := changes[k.Text()]; !ok {
				changes[k.Text()] = change{key: k.Text(), sums: &LineFigures{Records: int64(len(changes) + 1)}}
				named[k.Name]++
			}
		}
		var list []change
		for _, key := range slices.Sorted(maps.Keys(changes)) {
			list = append(list, changes[key])
		}
		block, _, err := MergeLines("", list)
		if err != nil {
			t.Fatal(err)
		}
		if n := CountNames(block); n != int64(len(named)) {
			t.Fatalf("%d names are counted, want %d", n, len(named))
		}
		for _, name := range append(slices.Collect(maps.Keys(named)), names.Draw(t, "another name")) {
			lines := LinesAbout(block, name)
			found := 0
			for lines.Next() {
				found++
				if k, err := lines.LineKey(); err != nil || k.Name != name || changes[k.Text()].sums == nil {
					t.Fatalf("a line of %q, found for %q (%v)", k.Name, name, err)
				}
			}
			if lines.Err() != nil || found != named[name] {
				t.Fatalf("%q has %d lines, found %d (%v)", name, named[name], found, lines.Err())
			}
		}
	})
}

// Blocks equal the sum of their records, with any order and portions of adding. Removed
// records leave nothing behind.
func TestMergeLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]*LineFigures{}
		block := ""
		for range rapid.IntRange(1, 6).Draw(t, "merges") {
			portion := map[string]*LineFigures{}
			for range rapid.IntRange(0, 20).Draw(t, "changes") {
				key := LineKey{fmt.Sprint(rapid.IntRange(0, 30).Draw(t, "name")), LineKind{Coin: "USDT"}}.Text()
				times := int64(1)
				if w := want[key]; w != nil && w.Records > 0 && rapid.Bool().Draw(t, "taken away") {
					times = -1
				}
				record := affiliate.Commission{Commission: "-0.5", Fee: "1.000000000000000001"}
				for place, amount := range record.Summed() {
					if *amount == "" {
						*amount = affiliate.Number(fmt.Sprint("0.000", place))
					}
				}
				At(portion, key).Add(&record, times)
				At(want, key).Add(&record, times)
			}
			var list []change
			for _, key := range slices.Sorted(maps.Keys(portion)) {
				list = append(list, change{key: key, sums: portion[key]})
			}
			var err error
			if block, _, err = MergeLines(block, list); err != nil {
				t.Fatal(err)
			}
		}
		maps.DeleteFunc(want, func(_ string, s *LineFigures) bool { return s.Records == 0 })
		n := 0
		lines := LinesOf(block)
		for lines.Next() {
			var got LineFigures
			if err := got.AddFigures(lines.Figures); err != nil {
				t.Fatal(err)
			}
			w := want[lines.Key]
			if n++; w == nil || got.Records != w.Records || affiliate.MapSummed(&got.Summed, (*affiliate.Sum).String) != affiliate.MapSummed(&w.Summed, (*affiliate.Sum).String) {
				t.Fatalf("%q is %v, want %v", lines.Key, got, w)
			}
			var less LineFigures
			if err := less.AddCommission(lines.Figures); err != nil || less.Records != w.Records || less.Commission.Cmp(&w.Commission) != 0 {
				t.Fatalf("%q is %v computed by commission alone (%v), want %v", lines.Key, less, err, w)
			}
		}
		if lines.Err() != nil || n != len(want) || block == "" != (len(want) == 0) {
			t.Fatalf("%d lines, want %d (%v)", n, len(want), lines.Err())
		}
	})
}

// Bytes that are not a block give an error, never a panic or a wrong figure.
func FuzzLines(f *testing.F) {
	block, _, err := MergeLines("", []change{{key: "1\tSPOT\tUSDT\tdirect\t", sums: &LineFigures{Records: 3}}, {key: "2\tSPOT\tUSDT\tdirect\t", sums: &LineFigures{Records: 1, Days: 5}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(block, "1")
	f.Add("\x01\x00\x00\x00\x00", "")
	f.Fuzz(func(t *testing.T, block, name string) {
		var kinds KindReader
		for _, lines := range []BlockLines{LinesOf(block), LinesAbout(block, name)} {
			for lines.Next() {
				var s LineFigures
				_, keyErr := lines.LineKey()
				_, _, kindErr := kinds.Of(lines.BlockLine)
				if (keyErr == nil) != (kindErr == nil) {
					t.Fatalf("%q is a key (%v), but its kind is invalid (%v)", lines.Key, keyErr, kindErr)
				}
				_ = s.AddFigures(lines.Figures) // the bytes may not be figures
			}
		}
		_ = CountNames(block)
		_, _, _ = MergeLines(block, nil)
	})
}
