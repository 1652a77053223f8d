package trading

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// idForm is the form of an intent's ID. With the number of an order appended, it is a
// client order id: only letters and digits, and far below the 40 characters of a trigger
// order (4.13).
var idForm = regexp.MustCompile(`^r[a-z2-7]{19}$`)

// NewID returns a new ID for a form, which is also the ID of its intent.
func NewID() string { return "r" + strings.ToLower(rand.Text()[:19]) }

// PartID returns the ID of a part of a form that becomes several intents, the same each time. An
// ID that is none stays as it is, and is refused.
func PartID(form, part string) string {
	if !idForm.MatchString(form) {
		return form
	}
	sum := sha256.Sum256([]byte(form + " " + part))
	return "r" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:19])
}

// clientID returns the client order id of order n of an intent. Both can be read from it.
func clientID(intent string, n int) string { return fmt.Sprintf("%s%02d", intent, n) }

// digest distinguishes drafts by what they request.
func (d Draft) digest() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %t", d.Account, d.Kind, d.Pair, d.Source, d.Again) // a hash never fails
	for _, o := range d.Orders {
		fmt.Fprintf(sum, "\n%q %q %q %q %q %q %q %q %d %q %q", o.Side, o.Type, o.Force, o.Price, o.Quantity,
			o.TriggerPrice, o.Action, o.Match, o.Margin, o.ClientID, o.OrderID)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
