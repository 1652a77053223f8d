package figures

import (
	"rebatedesk/affiliate"
)

// Figure is an amount with its comparison.
type Figure struct {
	Amount    affiliate.Amount
	Reference affiliate.Amount // meaningful unless Change.Kind is none or unknown
	Change    Change
}
