package trading

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/orders"
)

// IntentKind is the kind of call that an intent makes.
type IntentKind string

// The kinds of call, with their endpoints.
const (
	Place      IntentKind = "place"        // 4.7
	PlaceBatch IntentKind = "batch"        // 4.8
	Cancel     IntentKind = "cancel"       // 4.9
	CancelSome IntentKind = "cancel-batch" // 4.10, at most 50 orders of one pair
	CancelAll  IntentKind = "cancel-all"   // 4.10, in as many calls as the open orders of the pair need
	Trigger    IntentKind = "trigger"      // 4.13
)

// Channel is the origin of an intent.
type Channel string

// The origins. An order from the proxy is checked unchanged: nothing is rounded, and it has
// its own client order id.
const (
	FromPage  Channel = "page"
	FromProxy Channel = "proxy"
)

// Intent is a call to be sent, or one that was sent; see [store.Intent].
type Intent = orders.Intent

// Order is one order or cancellation of an [Intent]. In a [Draft] the numbers may be any
// typed text: the flight check parses them.
//
// A trigger order has Action, Match, Margin and TriggerPrice, its execution price in Price
// and its size in Quantity. A cancellation has either OrderID or ClientID.
type Order = orders.IntentOrder

// IntentState is the state of an order.
type IntentState = orders.IntentState

// The states, see [store.IntentState].
const (
	IntentDrafted   = orders.IntentDrafted
	IntentSending   = orders.IntentSending
	IntentPlaced    = orders.IntentPlaced
	IntentCancelled = orders.IntentCancelled
	IntentRefused   = orders.IntentRefused
	IntentNotSent   = orders.IntentNotSent
	IntentUnknown   = orders.IntentUnknown
	IntentResolved  = orders.IntentResolved
	IntentDryRun    = orders.IntentDryRun
)

// Draft is a request to send orders.
type Draft struct {
	// ID is the number of the form, from [NewID]; if it is empty, the draft gets one. A
	// second draft with the same ID is the first one, sent again.
	ID      string
	Account affiliate.Account
	Kind    IntentKind
	Pair    string
	Orders  []Order // empty for CancelAll: the desk reads the open orders
	Source  Channel
	Again   bool // the same order was sent a moment ago, and this one is intended as well
}
