package rollup_test

import (
	"strings"
	"testing"

	"rebatedesk/store/rollup"
)

// A line is 24 numbers; anything else is refused.
func TestHourSums(t *testing.T) {
	text := "1.5 -0.000000000000000001" + strings.Repeat(" 0", 21) + " 123456789012345678901234567890.5"
	sums, err := rollup.ParseHourSums(text)
	if err != nil || sums.String() != text || sums.Zero() {
		t.Errorf("%s became %s (%v)", text, &sums, err)
	}
	twice := sums
	twice.Add(&sums)
	if want := "3 -0.000000000000000002" + strings.Repeat(" 0", 21) + " 246913578024691357802469135781"; twice.String() != want || sums.String() != text {
		t.Errorf("twice is %s, once %s", &twice, &sums)
	}
	if none, err := rollup.ParseHourSums("0" + strings.Repeat(" 0.0", 23)); err != nil || !none.Zero() {
		t.Errorf("nothing is %s (%v)", &none, err)
	}
	for _, wrong := range []string{"", "1", strings.Repeat("1 ", 24), "x" + strings.Repeat(" 0", 23), "0" + strings.Repeat(" 0", 24), "0 " + strings.Repeat(" 0", 22)} {
		if sums, err := rollup.ParseHourSums(wrong); err == nil {
			t.Errorf("%q became %s", wrong, &sums)
		}
	}
}
