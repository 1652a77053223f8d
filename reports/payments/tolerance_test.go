package payments

import "testing"

func TestParseTolerance(t *testing.T) {
	got, err := ParseTolerance(" usdt=0.01, BTC = 0.00000001")
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	for _, wrong := range []string{"", "USDT", "=1", "USDT=", "USDT=-1", "USDT=x", "USDT=1,usdt=2", "USDT=1;BTC=2"} {
		if got, err := ParseTolerance(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, got)
		}
	}
}
