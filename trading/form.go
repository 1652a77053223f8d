package trading

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// MaxOrders is how many orders one call places or cancels. The document gives no limit for
// a batch (4.8); the exchange accepts 50 in a cancellation (4.10).
const MaxOrders = 50

// longestSymbol is how many bytes the symbol of a pair has at most.
const longestSymbol = 45

var (
	orderNumber = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)
	triggerID   = regexp.MustCompile(`^[A-Za-z0-9]{1,40}$`)
)

// form checks the fields of a draft against the requirements of the document.
func (c *check) form() {
	before := len(c.Lines)
	if c.Draft.Source != FromPage && c.Draft.Source != FromProxy {
		c.wrong(-1, "source", string(c.Draft.Source), "is page or proxy")
	}
	c.pair()
	c.numberOfOrders()
	for n := range c.Draft.Orders {
		o := &c.Draft.Orders[n]
		o.N = n
		switch c.Draft.Kind {
		case Place, PlaceBatch:
			c.spotFields(n, o)
		case Trigger:
			c.triggerFields(n, o)
		case Cancel, CancelSome:
			c.cancelFields(n, *o)
		}
	}
	c.distinct()
	if len(c.Lines) == before {
		c.say(RuleFields, VerdictPass, "Every field is one that the exchange takes.")
	}
}

// wrong adds the broken rule of a field.
func (c *check) wrong(n int, field, value, rule string) {
	if runes := []rune(strings.ToValidUTF8(value, "\uFFFD")); len(runes) > 60 {
		value = string(runes[:60]) + "…"
	}
	c.about(n, field, RuleFields, VerdictFail, "%s = %q: it %s.", field, value, rule)
}

func (c *check) pair() {
	if c.Draft.Kind == Trigger {
		if !affiliate.IsContractSymbol(c.Draft.Pair) || len(c.Draft.Pair) > longestSymbol {
			c.wrong(-1, "symbol", c.Draft.Pair, "is a contract pair like cmt_btcusdt")
		}
	} else if !affiliate.IsSpotSymbol(c.Draft.Pair) || len(c.Draft.Pair) > longestSymbol {
		c.wrong(-1, "symbol", c.Draft.Pair, "is a spot pair like BTCUSDT_SPBL")
	}
}

func (c *check) numberOfOrders() {
	most := 1
	switch c.Draft.Kind {
	case CancelAll:
		return // the open orders are read
	case PlaceBatch, CancelSome:
		most = MaxOrders
	case Place, Cancel, Trigger:
	default:
		c.wrong(-1, "kind", string(c.Draft.Kind), "is a kind of intent")
		return
	}
	if n := len(c.Draft.Orders); n < 1 || n > most {
		c.say(RuleCount, VerdictFail, "There are %d orders; one call takes 1 to %d.", n, most)
	}
}

func (c *check) spotFields(n int, o *Order) {
	oneOf(c, n, "side", o.Side, weex.Buy, weex.Sell)
	oneOf(c, n, "orderType", o.Type, weex.Limit, weex.Market)
	if o.Type == string(weex.Market) {
		o.Force, o.Price = "", "" // the exchange ignores them (4.7)
	} else {
		oneOf(c, n, "force", o.Force, weex.GoodTillCancelled, weex.PostOnly, weex.FillOrKill, weex.ImmediateOrCancel)
		c.positive(n, "price", o.Price)
	}
	c.positive(n, "quantity", o.Quantity)
	c.ownID(n, "clientOrderId", o)
}

// triggerFields checks a trigger order (4.13). The order buys if it opens a long position
// or closes a short one.
func (c *check) triggerFields(n int, o *Order) {
	oneOf(c, n, "type", o.Action, weex.OpenLong, weex.OpenShort, weex.CloseLong, weex.CloseShort)
	oneOf(c, n, "match_type", o.Match, weex.MatchLimit, weex.MatchMarket)
	c.positive(n, "size", o.Quantity)
	if o.Match != string(weex.MatchMarket) || o.Price != "0" {
		c.positive(n, "execute_price", o.Price)
	}
	c.positive(n, "trigger_price", o.TriggerPrice)
	if !slices.Contains([]int{0, int(weex.Cross), int(weex.Isolated)}, o.Margin) {
		c.wrong(n, "marginMode", fmt.Sprint(o.Margin), "is 1 or 3")
	}
	c.ownID(n, "client_oid", o)
	o.Side, o.Type = string(weex.Buy), "trigger"
	if a := weex.Action(o.Action); a == weex.OpenShort || a == weex.CloseLong {
		o.Side = string(weex.Sell)
	}
}

// cancelFields checks a cancellation: it names its order in one way, and all cancellations
// of a call use the same way.
func (c *check) cancelFields(n int, o Order) {
	first := c.Draft.Orders[0]
	switch {
	case (o.OrderID == "") == (o.ClientID == ""), (o.OrderID == "") != (first.OrderID == ""):
		c.wrong(n, "orderId", o.OrderID, "stands alone, or the client order id does, the same for all orders of a call")
	case o.OrderID != "" && !orderNumber.MatchString(o.OrderID):
		c.wrong(n, "orderId", o.OrderID, "is a whole number of at most 19 digits")
	case o.ClientID != "" && !plainText(o.ClientID):
		c.wrong(n, "clientOid", o.ClientID, "is text of 1 to 256 bytes without control characters or spaces around it")
	}
}

// ownID gives an order of a page its client order id. An order of a program must bring its
// own id, without which it could not be traced.
func (c *check) ownID(n int, field string, o *Order) {
	switch {
	case c.Draft.Source == FromPage && !c.again:
		o.ClientID = clientID(c.Draft.ID, n)
	case c.Draft.Kind == Trigger && !triggerID.MatchString(o.ClientID):
		c.wrong(n, field, o.ClientID, "has 1 to 40 letters and digits")
	case !plainText(o.ClientID):
		c.wrong(n, field, o.ClientID, "is text of 1 to 256 bytes without control characters or spaces around it")
	}
}

// distinct requires that each order occurs once in the draft.
func (c *check) distinct() {
	seen := map[[2]string]bool{}
	for n, o := range c.Draft.Orders {
		id := [2]string{o.OrderID, o.ClientID}
		if seen[id] {
			c.wrong(n, "clientOrderId", o.OrderID+o.ClientID, "stands in the list once")
		}
		seen[id] = true
	}
}

func oneOf[T ~string](c *check, n int, field, value string, allowed ...T) {
	if !slices.Contains(allowed, T(value)) {
		c.wrong(n, field, value, fmt.Sprintf("is one of %q", allowed))
	}
}

// positive requires a plain decimal above zero.
func (c *check) positive(n int, field string, value affiliate.Number) {
	if value == "" {
		c.about(n, field, RuleFields, VerdictFail, "%s is missing: it is a plain decimal number above zero, of at most 20 digits and 18 decimals.", field)
		return
	}
	again, err := affiliate.ParseNumber(string(value))
	if err != nil || again != value || value[0] == '-' || value.IsZero() {
		c.wrong(n, field, string(value), "is a plain decimal number above zero, of at most 20 digits and 18 decimals")
	}
}

func plainText(s string) bool {
	return s != "" && len(s) <= 256 && utf8.ValidString(s) && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, unicode.IsControl) &&
		!strings.ContainsRune(s, utf8.RuneError)
}
