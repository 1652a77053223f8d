package weex

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// Rights are the three calls of a collection, and those of bills and transfers, which only the
// comparison of earned and paid needs. Each asks for one record of an hour.
func (c *Client) Rights(now time.Time) []exchange.Right {
	const permission = "to read affiliate data"
	start, end := affiliate.MillisOf(now.Add(-time.Hour)), affiliate.MillisOf(now)
	today := affiliate.MillisOf(now.UTC().Truncate(24 * time.Hour))
	return []exchange.Right{
		{Records: "commissions", Permission: permission, Needed: true, Call: func(ctx context.Context) error {
			_, err := c.Commissions(ctx, CommissionQuery{Start: start, End: end, Product: affiliate.Spot, PageSize: 1})
			return err
		}},
		{Records: "invitees", Permission: permission, Needed: true, Call: func(ctx context.Context) error {
			_, err := c.Invitees(ctx, InviteeQuery{Start: start, End: end, PageSize: 1})
			return err
		}},
		{Records: "sub-affiliates", Permission: permission, Needed: true, Call: func(ctx context.Context) error {
			_, err := c.SubAffiliateDays(ctx, SubAffiliateQuery{Start: today, End: end, Product: affiliate.Spot, PageSize: 1})
			return err
		}},
		{Records: "spot bills", Permission: "to read the spot account", Call: func(ctx context.Context) error {
			_, err := c.Bills(ctx, BillQuery{From: start, To: end, Limit: 1})
			return err
		}},
		{Records: "funding bills", Permission: "to read the funding account", Call: func(ctx context.Context) error {
			_, err := c.FundingBills(ctx, FundingBillQuery{From: start, To: end, PageSize: 1})
			return err
		}},
		{Records: "transfers", Permission: "to read transfers", Call: func(ctx context.Context) error {
			_, err := c.Transfers(ctx, TransferQuery{From: start, To: end, Limit: 1})
			return err
		}},
	}
}

// TestKey asks for one commission of the last day (4.17).
func (c *Client) TestKey(ctx context.Context) error {
	now, err := c.Now(ctx)
	if err != nil {
		return err
	}
	_, err = c.Commissions(ctx, CommissionQuery{Start: affiliate.MillisOf(now.Add(-24 * time.Hour)), End: affiliate.MillisOf(now), PageSize: 1})
	return err
}
