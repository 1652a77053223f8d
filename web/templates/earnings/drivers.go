package earnings

import (
	"encoding/hex"

	"rebatedesk/web/templates/ui"
)

// driversAddress returns the address of the card about what moved the commission.
func driversAddress(l ui.Links) string { return "/overview" + l.Drivers(nil) }

// driversID returns the id of the place of the card, as attentionID does.
func driversID(l ui.Links) string {
	return "drivers-" + hex.EncodeToString([]byte(driversAddress(l)))
}
