package exchange

import (
	"context"

	"rebatedesk/exchange/transport"
	"rebatedesk/safehttp"
)

// Names of package transport that callers also need. They import only this package.
type (
	// Config configures a [Client].
	Config = transport.Config
	// Secret is text that must not be shown.
	Secret = transport.Secret
	// Budget holds calls back until their weight fits the exchange's limit.
	Budget = transport.Budget
	// BudgetState is a snapshot of a [Budget].
	BudgetState = transport.BudgetState
	// Priority is the order in which calls waiting for the [Budget] are sent.
	Priority = transport.Priority
	// RawAnswer is the answer to a reading call that succeeded.
	RawAnswer = transport.RawAnswer
	// Usage counts what a client has sent so far.
	Usage = transport.Usage
	// Endpoint is one entry of the interface document.
	Endpoint = transport.Endpoint
	// Weight is what one call costs of the two request budgets.
	Weight = transport.Weight
	// Reach says which hosts a client may reach.
	Reach = safehttp.Reach
	// Error is the failure of a call for any reason except a cancelled context.
	Error = transport.Error
	// Class is the kind of an [Error].
	Class = transport.Class
)

// Weights per ten seconds, and the priorities of reading calls.
const (
	DefaultBudget = transport.DefaultBudget
	OrderReserve  = transport.OrderReserve

	Collection  = transport.Collection
	Interactive = transport.Interactive
)

// Classes of an [Error].
const (
	ClassRequest    = transport.ClassRequest
	ClassAuth       = transport.ClassAuth
	ClassClock      = transport.ClassClock
	ClassValidation = transport.ClassValidation
	ClassPermission = transport.ClassPermission
	ClassRateLimit  = transport.ClassRateLimit
	ClassUpstream   = transport.ClassUpstream
	ClassTrading    = transport.ClassTrading
	ClassTransport  = transport.ClassTransport
	ClassMalformed  = transport.ClassMalformed
)

// NewBudget returns a budget of per10s weight in any ten seconds; values below 1 count as
// 1.
func NewBudget(per10s int) *Budget { return transport.NewBudget(per10s) }

// ClassOf returns the class of the [Error] in err. It is empty if err holds none, as for a
// cancelled context.
func ClassOf(err error) Class { return transport.ClassOf(err) }

// LeftNothing reports whether an error of [Client.Forward] proves that nothing was sent.
// For order calls the outcome says so instead.
func LeftNothing(err error) bool { return transport.LeftNothing(err) }

// WithPriority sets the class of reading calls made with the context. Any value except
// [Interactive] counts as [Collection]. Order calls keep their class.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return transport.WithPriority(ctx, p)
}

// WithTries limits how often reading calls made with the context are sent.
func WithTries(ctx context.Context, n int) context.Context { return transport.WithTries(ctx, n) }

// WithPageGate makes lists that are read page after page with the context end between two pages:
// open is called before each page is asked for, and its error ends the list. A page that is
// under way is read to its end.
func WithPageGate(ctx context.Context, open func() error) context.Context {
	return context.WithValue(ctx, pageGateKey{}, open)
}

type pageGateKey struct{}

// Gated returns the error of the gate of [WithPageGate].
func Gated(ctx context.Context) error {
	if open, ok := ctx.Value(pageGateKey{}).(func() error); ok {
		return open()
	}
	return nil
}

// WithRefusals is for calls that the exchange may refuse for lack of a permission or because
// of their parameters, and whose caller reports that. Such a refusal is logged at level debug.
func WithRefusals(ctx context.Context) context.Context { return transport.WithRefusals(ctx) }

// WithAnswers makes reading calls with the context pass each answer that reports success and
// is understood to take, in the goroutine of the call. A nil take ends that.
func WithAnswers(ctx context.Context, take func(RawAnswer)) context.Context {
	return transport.WithAnswers(ctx, take)
}
