package trading

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/orders"
)

// Kind is which call an intent makes.
type Kind string

// The kinds, with their endpoints.
const (
	Place      Kind = "place"        // 4.7
	Batch      Kind = "batch"        // 4.8
	Cancel     Kind = "cancel"       // 4.9
	CancelSome Kind = "cancel-batch" // 4.10, at most 50 orders of one pair
	CancelAll  Kind = "cancel-all"   // 4.10, as often as the open orders of the pair need
	Trigger    Kind = "trigger"      // 4.13
)

// Source is where an intent comes from.
type Source string

// The sources. What comes from the proxy is checked as it is: nothing is
// rounded, and it has a client order id of its own.
const (
	Page  Source = "page"
	Proxy Source = "proxy"
)

// Intent is what is to be sent, or was; see [store.Intent].
type Intent = orders.Intent

// Order is one order or cancellation of an [Intent]. In a [Draft] the numbers
// may be whatever was typed: the flight check reads them.
//
// A trigger order has Action, Match, Margin and TriggerPrice, its execution
// price in Price and its size in Quantity. A cancellation has OrderID or
// ClientID, one of them.
type Order = orders.IntentOrder

// State is how far an order has come.
type State = orders.IntentState

// The states, see [store.IntentState].
const (
	Drafted   = orders.IntentDrafted
	Sending   = orders.IntentSending
	Placed    = orders.IntentPlaced
	Cancelled = orders.IntentCancelled
	Refused   = orders.IntentRefused
	NotSent   = orders.IntentNotSent
	Unknown   = orders.IntentUnknown
	Resolved  = orders.IntentResolved
	DryRun    = orders.IntentDryRun
)

// Draft is what somebody wants to send.
type Draft struct {
	// ID is the number of the form, from [NewID]; empty: it gets one. A second
	// draft with the ID is the first one, sent again.
	ID      string
	Account affiliate.Account
	Kind    Kind
	Pair    string
	Orders  []Order // none for CancelAll: the desk reads which are open
	Source  Source
	Again   bool // the same order was sent a moment ago, and this one is wanted too
}
