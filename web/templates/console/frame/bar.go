package frame

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// TradingBar is the state of sending that every page of the console shows.
type TradingBar struct {
	trading.Status
	Caps      trading.Caps
	Unknowns  []trading.Intent
	Code      bool // allowing sending again requires a code
	FormToken string
	Zone      *time.Location
	Alert     string // why sending was not allowed again
	Why       string // the reason that was given for it
	Simulated bool   // the exchange is the simulator of the demo
	Reads     bool   // the reader may not send
	Back      string // page to which its forms lead without a script; empty: the one they are on
}

// BarID is the id of the state of sending.
const BarID = "trading-bar"

// stateSwap lets a form change the state of sending on a page that stays as it is: what is typed
// in a ticket is kept. Without a script the form leads back to the page, and after an error to the page of tickets.
func stateSwap(address string) templ.Attributes {
	return templ.Attributes{"hx-post": address, "hx-target": "#" + BarID, "hx-select": "#" + BarID, "hx-select-oob": "unset", "hx-swap": "outerHTML", "hx-push-url": "false", "hx-trigger": "submit"}
}

// Off reports whether the bar has nothing to show.
func (b TradingBar) Off() bool {
	return b.Mode == trading.Off && !b.Stopped() && len(b.Unknowns) == 0
}

// Stops reports whether stopping makes sense: orders are sent, and that is not stopped yet.
func (b TradingBar) Stops() bool { return b.Mode == trading.Live && !b.Switch.Stopped }

// UnknownID is the id of an order with an unknown outcome in the bar.
func UnknownID(in trading.Intent) string { return "unknown-" + in.ID }

// spentWords says how much of the daily cap is used, coin by coin.
func (b TradingBar) spentWords() string {
	var parts []string
	for coin, worth := range b.Spent {
		parts = append(parts, affiliate.Grouped(string(worth))+phrase.Space+string(coin))
	}
	slices.Sort(parts)
	words := "Sent today (UTC): nothing"
	if len(parts) > 0 {
		words = "Sent today (UTC): " + strings.Join(parts, ", ") + " at most"
	}
	if b.Caps.Day.Known() {
		words += ", of " + affiliate.Grouped(string(b.Caps.Day)) + " allowed in each quote coin"
	}
	if b.Caps.Order.Known() {
		words += " · at most " + affiliate.Grouped(string(b.Caps.Order)) + " an order"
	}
	return words
}

// badge returns the state of sending in a word or two; "stopped" takes precedence over all others.
// Red is for orders that the reader sends to a real exchange.
func (b TradingBar) badge() (words, class string) {
	switch {
	case b.Stopped() || b.Mode != trading.Live:
		return b.state()
	case b.Simulated:
		return "LIVE · simulated", "border-line text-muted"
	case b.Reads:
		return "LIVE · you only read", "border-line text-muted"
	}
	return b.state()
}

func (b TradingBar) state() (words, class string) {
	switch {
	case b.Stopped():
		return "STOPPED", "border-error bg-error text-error-content"
	case b.Mode == trading.Live:
		return "LIVE", "border-error text-error"
	case b.Mode == trading.Dry:
		return "DRY RUN", "border-warning text-warning"
	}
	return "TRADING OFF", "border-line text-muted"
}

// liveWords says what becomes of an order.
func (b TradingBar) liveWords() string {
	switch {
	case b.Simulated && b.Reads:
		return "Orders of traders go to the simulated exchange of the demo. You cannot send any."
	case b.Simulated:
		return "Orders go to the simulated exchange of the demo."
	case b.Reads:
		return "Traders send orders to the exchange. You cannot send any."
	}
	return "Orders are sent to the exchange."
}

// sending returns the same for scripts and styles.
func (b TradingBar) sending() string {
	words, _ := b.state()
	return strings.ReplaceAll(strings.ToLower(words), " ", "-")
}

// Token identifies everything that the bar shows: a page with the same token needs no
// other bar.
func (b TradingBar) Token() string {
	h := fnv.New64a()
	fmt.Fprint(h, b.sending(), b.KillFile, b.Switch, b.spentWords(), b.Code, len(b.Unknowns)) // a hash never fails
	for _, in := range b.Unknowns {
		fmt.Fprint(h, in.ID, IntentWords(in))
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
