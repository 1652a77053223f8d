package search

import "testing"

func TestLikeness(t *testing.T) {
	for _, one := range []struct {
		sought, text string
		want         Closeness
	}{
		{"payments", "Payments", Same},
		{"pay", "Payments", Begin},
		{"KOVAC", "Ana Kovač", WordBegin},
		{"ana kov", "Ana Kovač", Begin},
		{"kovac ana", "Ana Kovač", WordBegin},
		{"usdt", "BTCUSDT", Inside},
		{"comissions", "Commissions", Mistyped},   // a letter is missing
		{"commmissions", "Commissions", Mistyped}, // one is too many
		{"pyaments", "Payments", Mistyped},        // two are exchanged
		{"cohrot", "Cohorts", Mistyped},
		{"worklits", "Worklist", Mistyped},
		{"paments", "Payments", Mistyped},
		{"rate", "Rates", Begin},
		{"rtae", "Rates", Mistyped},
		{"abc", "abd", NoMatch}, // too short to be mistyped
		{"18079", "18078", NoMatch},
		{"1807930924", "1807930925", NoMatch},
		{"", "Payments", NoMatch},
		{"payments", "", NoMatch},
		{"zebra", "Payments", NoMatch},
		{"strasse", "Straße", Same},
	} {
		if got := Likeness(one.sought, one.text); got != one.want {
			t.Errorf("%q in %q: closeness %d, want %d", one.sought, one.text, got, one.want)
		}
	}
}

// Any single slip in a word of four letters or more still finds it.
func TestOneSlipIsForgiven(t *testing.T) {
	for _, word := range []string{"commissions", "cohorts", "rates", "kilimanjaro"} {
		for i := range word {
			wrong := map[string]string{"left out": word[:i] + word[i+1:], "doubled": word[:i+1] + word[i:], "replaced": word[:i] + "x" + word[i+1:]}
			if i > 0 {
				wrong["exchanged"] = word[:i-1] + word[i:i+1] + word[i-1:i] + word[i+1:]
			}
			for slip, typed := range wrong {
				if len(typed) >= 4 && Likeness(typed, word) == NoMatch {
					t.Errorf("%s (%s) does not find %s", typed, slip, word)
				}
			}
		}
	}
}
