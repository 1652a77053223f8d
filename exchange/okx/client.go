package okx

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/transport"
)

// Client reads one account. It is safe for concurrent use.
type Client struct{ t *transport.Sender }

// New checks the configuration and sends nothing. The error names every wrong setting, one per line,
// but never its value.
func New(cfg exchange.Config) (*Client, error) {
	t, err := transport.NewSender(cfg, protocol)
	if err != nil {
		return nil, err
	}
	return &Client{t}, nil
}

// Sheet returns [Sheet].
func (c *Client) Sheet() *exchange.Sheet { return &Sheet }

// Close closes idle connections. The client may still be used.
func (c *Client) Close() { c.t.Close() }

// Usage returns counts of what this client has sent so far.
func (c *Client) Usage() exchange.Usage { return c.t.Usage() }

// Budget returns a snapshot of the budget, which clients may share.
func (c *Client) Budget() exchange.BudgetState { return c.t.Budget() }

// Host returns the host of the exchange, without a port.
func (c *Client) Host() string { return c.t.Host() }

// Now returns the exchange's time. Before the first answer it requests the time.
func (c *Client) Now(ctx context.Context) (time.Time, error) { return c.t.Now(ctx) }

// ServerTime requests the exchange's time in UTC. It needs no key.
func (c *Client) ServerTime(ctx context.Context) (time.Time, error) { return c.t.ServerTime(ctx) }

// TestKey asks for the first page of invitees.
func (c *Client) TestKey(ctx context.Context) error {
	now, err := c.Now(ctx)
	if err != nil {
		return err
	}
	return c.Rights(now)[0].Call(ctx)
}

// Rights are one call of each kind.
func (c *Client) Rights(now time.Time) []exchange.Right {
	const permission = "Read"
	end := affiliate.MillisOf(now)
	return []exchange.Right{
		{Records: "commissions and invitees", Permission: permission, Needed: true, Call: func(ctx context.Context) error {
			_, err := list(ctx, c, 1, invitee)
			return err
		}},
		{Records: "bills", Permission: permission, Call: func(ctx context.Context) error {
			_, err := ask(ctx, c, billsEndpoint, fmt.Sprintf("type=%s&after=%d&before=%d&limit=1", billTypes[0], end, end-1000), bill)
			return err
		}},
	}
}
