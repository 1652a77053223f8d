package main

import (
	"encoding/json"
	"testing"
)

// The list of exchanges needs no settings, and says of each what the contract with programs names.
func TestExchanges(t *testing.T) {
	status, stdout, stderr := webapp(t.Context(), "exchanges", "--json")
	if status != statusDone || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		for _, name := range []string{"exchange", "grain", "day_zone", "reach_days", "window_days", "page_size", "additive", "fees", "volumes", "codes",
			"sub_affiliates", "paid", "console", "tried_live", "unknown"} {
			if _, has := one[name]; !has {
				t.Errorf("%v lacks %s", one["exchange"], name)
			}
		}
	}
	if len(list) == 0 || list[0]["exchange"] != "weex" || list[0]["paid"] != "bills" || list[0]["reach_days"] != nil {
		t.Errorf("the exchanges are %v", list)
	}
}
