package programme

import (
	"testing"
)

func TestTallyBeyond64Bits(t *testing.T) {
	var sum tally
	for range 5 {
		sum.add(1<<63 - 1)
	}
	if got := sum.decimal().String(); got != "46116860.184273879035" {
		t.Error(got)
	}
}
