package weex

import (
	"rebatedesk/exchange"

	"context"
	"time"

	"rebatedesk/exchange/transport"
)

// Client calls the exchange for one account. It is safe for concurrent use, and
// every wait ends with its context.
type Client struct {
	t     *transport.Sender
	coins coinNames
}

// New checks the configuration and sends nothing. The error names every wrong setting, one
// per line, but never its value.
func New(cfg exchange.Config) (*Client, error) {
	t, err := transport.NewSender(cfg, protocol)
	if err != nil {
		return nil, err
	}
	return &Client{t: t}, nil
}

// Close closes idle connections. The client may still be used.
func (c *Client) Close() { c.t.Close() }

// Usage returns counts of what this client has sent so far.
func (c *Client) Usage() exchange.Usage { return c.t.Usage() }

// Budget returns a snapshot of the budget, which clients may share.
func (c *Client) Budget() exchange.BudgetState { return c.t.Budget() }

// Host returns the host of the exchange, without a port. Accounts with the same host see the
// same markets.
func (c *Client) Host() string { return c.t.Host() }

// Now returns the exchange's time: the local clock plus the offset learned from answers.
// Before the first answer it requests the time.
func (c *Client) Now(ctx context.Context) (time.Time, error) { return c.t.Now(ctx) }

// ServerTime requests the exchange's time in UTC, exact to the millisecond. The interface
// document does not list this endpoint; it is public and unsigned.
//
//	GET /api/v2/public/time
func (c *Client) ServerTime(ctx context.Context) (time.Time, error) { return c.t.ServerTime(ctx) }
