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
	of := map[any]map[string]any{}
	for _, one := range list {
		of[one["exchange"]] = one
	}
	for name, want := range map[string]map[string]any{
		"weex":   {"grain": "record", "paid": "bills", "reach_days": nil, "console": true, "additive": true},
		"bitget": {"grain": "day", "paid": "state", "reach_days": 90.0, "window_days": 30.0, "page_size": 100.0, "day_zone": "UTC+8", "codes": false},
		"mexc":   {"grain": "day", "paid": "none", "reach_days": 180.0, "window_days": 30.0, "fees": false, "codes": true},
		"kucoin": {"grain": "trade", "paid": "state", "reach_days": nil, "page_size": 500.0},
		"okx":    {"grain": "span", "paid": "bills", "reach_days": 0.0, "additive": false},
	} {
		for key, value := range want {
			if of[name][key] != value {
				t.Errorf("%s of %s is %v, not %v", key, name, of[name][key], value)
			}
		}
	}
	if len(of) != 5 {
		t.Errorf("the exchanges are %v", list)
	}
}
