package trading

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// idForm is what the ID of an intent looks like. With the number of the order
// behind it, it is a client order id: letters and digits alone, far below the
// 40 characters of a trigger order (4.13).
var idForm = regexp.MustCompile(`^r[a-z2-7]{19}$`)

// NewID makes the ID of a form, and with that of an intent.
func NewID() string { return "r" + strings.ToLower(rand.Text()[:19]) }

// clientID is the client order id of the order n of an intent, from which both
// can be read.
func clientID(intent string, n int) string { return fmt.Sprintf("%s%02d", intent, n) }

// digest tells drafts apart by what was asked for.
func (d Draft) digest() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %t", d.Account, d.Kind, d.Pair, d.Source, d.Again) // a hash never fails
	for _, o := range d.Orders {
		fmt.Fprintf(sum, "\n%q %q %q %q %q %q %q %q %d %q %q", o.Side, o.Type, o.Force, o.Price, o.Quantity,
			o.TriggerPrice, o.Action, o.Match, o.Margin, o.ClientID, o.OrderID)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
