// Package known lists the exchanges that the desk can read. An exchange is registered here, and
// nowhere else.
package known

import (
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// Default is the exchange of an account that names none.
const Default = "weex"

// Sheets returns the sheets of the exchanges, in the order of their names.
func Sheets() []*exchange.Sheet { return []*exchange.Sheet{&weex.Sheet} }

// Names returns the names of the exchanges in settings, in their order.
func Names() (names []string) {
	for _, sheet := range Sheets() {
		names = append(names, sheet.Name)
	}
	return names
}
