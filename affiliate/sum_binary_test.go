package affiliate_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

// Whatever was added up comes back from its bytes, whatever follows them; and equal
// sums have equal bytes, however they were added up.
func TestSumBinary(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,18})?`)
	rapid.Check(t, func(t *rapid.T) {
		var sum, again, turned affiliate.Sum
		exact := new(big.Rat)
		var texts []string
		for range rapid.IntRange(0, 4).Draw(t, "numbers") {
			text := number.Draw(t, "number")
			texts = append(texts, text)
			if !sum.Add(affiliate.Number(text)) {
				t.Fatalf("%s is no number", text)
			}
			one, _ := new(big.Rat).SetString(text)
			exact.Add(exact, one)
		}
		for i := range texts {
			turned.Add(affiliate.Number(texts[len(texts)-1-i]))
		}
		after := rapid.String().Draw(t, "after")
		binary := string(sum.AppendBinary(nil))
		if other := string(turned.AppendBinary(nil)); other != binary {
			t.Fatalf("%v added up in another order is %x, not %x", texts, other, binary)
		}
		rest, ok := again.AddBinary(binary + after)
		got, _ := new(big.Rat).SetString(again.String())
		if !ok || rest != after || got.Cmp(exact) != 0 {
			t.Fatalf("%x is %s (%v, %q left), want %s", binary, again.String(), ok, rest, exact.FloatString(18))
		}
		if skipped, ok := affiliate.SkipBinary(binary + after); !ok || skipped != after {
			t.Fatalf("%x is skipped up to %q (%v)", binary, skipped, ok)
		}
		for cut := range len(binary) {
			if _, ok := new(affiliate.Sum).AddBinary(binary[:cut]); ok {
				t.Fatalf("%x is read, which is only the beginning of %x", binary[:cut], binary)
			}
		}
	})
}

// Bytes of any origin are read or refused, and what is read can be written again.
func FuzzSumBinary(f *testing.F) {
	for _, seed := range []string{"", "\x00\x00", "\x12\x01", "\x40\x01\x00", "\x80\x011", "\x80\x00", "\x1f\x01", "\x52\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var sum, again affiliate.Sum
		rest, ok := sum.AddBinary(text)
		skipped, skippable := affiliate.SkipBinary(text)
		if !ok {
			return
		}
		if !skippable || skipped != rest {
			t.Fatalf("%x is read up to %x and skipped up to %x", text, rest, skipped)
		}
		if rest, ok := again.AddBinary(string(sum.AppendBinary(nil))); !ok || rest != "" || again.Cmp(&sum) != 0 {
			t.Fatalf("%x is %s, and %s when it is read again", text, sum.String(), again.String())
		}
	})
}
