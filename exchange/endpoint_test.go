package exchange

import (
	"fmt"
	"testing"
)

// The table says what the interface document says.
func TestEndpoints(t *testing.T) {
	want := map[string]string{
		"":     "GET /api/v2/public/time 1/0 signed=false",
		"4.17": "GET /api/v2/rebate/affiliate/getAffiliateCommission 20/20 signed=true",
		"4.18": "GET /api/v2/rebate/affiliate/getAffiliateUIDs 20/20 signed=true",
		"4.19": "POST /api/v2/rebate/affiliate/querySubChannelTransactions 10/10 signed=true",
	}
	for _, e := range Endpoints() {
		got := fmt.Sprintf("%s %s %d/%d signed=%v", e.Method, e.Path, e.Weight.IP, e.Weight.UID, e.Signed)
		if got != want[e.Section] {
			t.Errorf("%v: %s, want %s", e, got, want[e.Section])
		}
		delete(want, e.Section)
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

func TestEndpointsIsACopy(t *testing.T) {
	Endpoints()[0].Path = "/elsewhere"
	if Endpoints()[0].Path == "/elsewhere" {
		t.Error("the table can be changed from outside")
	}
}

func TestUnknownEndpointPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	endpointNamed("no such")
}

func TestWeightLarger(t *testing.T) {
	if got := (Weight{IP: 2, UID: 5}).Larger(); got != 5 {
		t.Errorf("the larger of 2 and 5 is %d", got)
	}
}
