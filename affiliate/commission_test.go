package affiliate

import "testing"

// Records that differ only in how a number is written are the same record, whatever the number.
func TestKeysOfCommissionsHaveCanonicalNumbers(t *testing.T) {
	for _, f := range CommissionFields {
		if !f.Decimal() {
			continue
		}
		var one, other Commission
		*f.Target(&one).(*string), *f.Target(&other).(*string) = "1.50", "1.5"
		if one.Key() != other.Key() {
			t.Errorf("%s is not canonical in the key of a record", f.Column)
		}
	}
}
