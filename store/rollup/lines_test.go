package rollup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"maps"
)

// Whichever name is looked for, its lines are found and no others: of a name
// that begins another, that has our separators in it, or that has no lines.
func TestCutLinesFindsTheLinesOfAName(t *testing.T) {
	names := rapid.StringOfN(rapid.SampledFrom([]rune("01\t\n\\t")), 0, 3, -1)
	rapid.Check(t, func(t *rapid.T) {
		lines := map[string]string{} // what a line says, by how it begins
		named := map[string]int{}
		for range rapid.IntRange(0, 30).Draw(t, "lines") {
			k := LineKey{names.Draw(t, "name"), LineKind{Coin: "USDT", Product: "SPOT"}}
			if rapid.Bool().Draw(t, "futures") {
				k.Product = "FUTURES"
			}
			if lines[k.Text()] == "" {
				lines[k.Text()] = fmt.Sprintf("%s%d\t1\t2\t3\t4\n", k.Text(), len(lines)+1)
				named[k.Name]++
			}
		}
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(lines)) {
			text.WriteString(lines[key])
		}
		asked := append(slices.Sorted(maps.Keys(named)), names.Draw(t, "another name"))
		slices.SortFunc(asked, func(a, b string) int { return strings.Compare(BeginOfLines(a), BeginOfLines(b)) })
		after := text.String()
		for _, name := range slices.Compact(asked) {
			var own string
			own, after = CutLines(after, BeginOfLines(name))
			if strings.Count(own, "\n") != named[name] {
				t.Fatalf("%q has %d lines, found %q", name, named[name], own)
			}
			for text := range EachLine(own) {
				var l BlockLine
				if err := l.Parse(text); err != nil || l.Name != name {
					t.Fatalf("a line of %q, found for %q (%v)", l.Name, name, err)
				}
			}
		}
		if after != "" {
			t.Fatalf("left over: %q", after)
		}
	})
}
