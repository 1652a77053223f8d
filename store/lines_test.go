package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whichever name is looked for, its lines are found and no others: of a name
// that begins another, that has our separators in it, or that has no lines.
func TestCutLinesFindsTheLinesOfAName(t *testing.T) {
	names := rapid.StringOfN(rapid.SampledFrom([]rune("01\t\n\\t")), 0, 3, -1)
	rapid.Check(t, func(t *rapid.T) {
		lines := map[string]string{} // what a line says, by how it begins
		named := map[string]int{}
		for range rapid.IntRange(0, 30).Draw(t, "lines") {
			k := lineKey{names.Draw(t, "name"), lineKind{coin: "USDT", product: "SPOT"}}
			if rapid.Bool().Draw(t, "futures") {
				k.product = "FUTURES"
			}
			if lines[k.text()] == "" {
				lines[k.text()] = fmt.Sprintf("%s%d\t1\t2\t3\t4\n", k.text(), len(lines)+1)
				named[k.name]++
			}
		}
		var text strings.Builder
		for _, key := range sortedKeys(lines) {
			text.WriteString(lines[key])
		}
		asked := append(sortedKeys(named), names.Draw(t, "another name"))
		slices.SortFunc(asked, func(a, b string) int { return strings.Compare(beginOfLines(a), beginOfLines(b)) })
		after := text.String()
		for _, name := range slices.Compact(asked) {
			var own string
			own, after = cutLines(after, beginOfLines(name))
			if strings.Count(own, "\n") != named[name] {
				t.Fatalf("%q has %d lines, found %q", name, named[name], own)
			}
			for text := range eachLine(own) {
				var l line
				if err := l.parse(text); err != nil || l.name != name {
					t.Fatalf("a line of %q, found for %q (%v)", l.name, name, err)
				}
			}
		}
		if after != "" {
			t.Fatalf("left over: %q", after)
		}
	})
}
