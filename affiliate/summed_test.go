package affiliate

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every amount that is added up is a decimal with a name of its own, and has one metric. Roll-ups and files have the
// first four in this order.
func TestSummedFields(t *testing.T) {
	var columns, metrics []string
	for place, f := range SummedFields {
		columns = append(columns, f.Column)
		if f.Kind != AmountField && f.Kind != VolumeField {
			t.Errorf("%s is added up and is of the kind %d", f.Column, f.Kind)
		}
		var c Commission
		*f.Target(&c).(*string) = "1"
		if *c.Summed()[place] != "1" {
			t.Errorf("%s is not the amount at its place", f.Column)
		}
		if m := MetricAt(place); m.Volume() != (f.Kind == VolumeField) {
			t.Errorf("the metric %s adds up %s", m.Name, f.Column)
		}
	}
	for _, m := range Metrics {
		metrics = append(metrics, m.Columns...)
		if len(m.Places()) != len(m.Columns) || !m.Volume() && len(m.Columns) != 1 || m.Label == "" || m.Title == "" {
			t.Errorf("the metric %q adds up %q", m.Name, m.Columns)
		}
	}
	slices.Sort(metrics)
	if !slices.Equal(metrics, slices.Sorted(slices.Values(columns))) {
		t.Errorf("metrics add up %q of %q", metrics, columns)
	}
	if want := []string{"fee", "commission", "taker_amount", "maker_amount"}; !slices.Equal(columns[:len(want)], want) {
		t.Errorf("the amounts are %q, and begin with %q in what is stored", columns, want)
	}
}

// Amounts have the names of their columns in JSON, in their order, and an unknown one is left out.
func TestSummedInJSON(t *testing.T) {
	var all Summed[Number]
	var want []string
	for place, amount := range all.All() {
		*amount = Number(strings.Repeat("1", place+1))
		want = append(want, `"`+SummedFields[place].Column+`":"`+string(*amount)+`"`)
	}
	text, err := json.Marshal(all)
	if err != nil || string(text) != "{"+strings.Join(want, ",")+"}" {
		t.Errorf("the amounts are %s, %v", text, err)
	}
	all.Fee = ""
	if text, err = json.Marshal(all); err != nil || string(text) != "{"+strings.Join(want[1:], ",")+"}" {
		t.Errorf("without the fee they are %s, %v", text, err)
	}
	if n := reflect.TypeFor[Summed[Number]]().NumField(); n != len(all.All()) {
		t.Errorf("%d of %d amounts are added up", len(all.All()), n)
	}
}

// Adding up adds each amount to its own sum.
func TestAmountsKeepTheirPlaces(t *testing.T) {
	var sums Summed[Sum]
	var numbers Summed[Number]
	for place, n := range numbers.All() {
		*n = Number(strings.Repeat("3", place+1))
	}
	AddNumbers(&sums, &numbers)
	AddNumbers(&sums, new(Summed[Number])) // unknown
	twice := sums
	AddSums(&twice, &sums)
	texts := MapSummed(&twice, (*Sum).String)
	for place, text := range texts.All() {
		if want := strings.Repeat("6", place+1); *text != want {
			t.Errorf("%s adds up to %s, want %s", SummedFields[place].Column, *text, want)
		}
	}
}
