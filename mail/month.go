package mail

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/closings"
	"rebatedesk/store/outbox"
)

// monthScope begins the scope of the mails about a closed month.
const monthScope = "month "

// MonthScope is the scope of the mails about a closed month, by which the outbox knows them.
func MonthScope(month affiliate.Day) string { return monthScope + closings.MonthText(month) }

// LastMonthAddress returns to whom a closed month was sent last; empty: none was ever sent.
func (s *Service) LastMonthAddress(ctx context.Context) (string, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (string, error) { return outbox.LastRecipient(ctx, r, monthScope) })
}

// SendMonth queues the mail of a closed month with its files, as [Service.sendDocument] does. left says
// which file is not attached, and why; empty: all are.
func (s *Service) SendMonth(ctx context.Context, d *months.Detail, files []outbox.Attachment, left, to string, before int, by audit.Line) error {
	first := d.Days.First
	by.Action, by.Object = "month mailed", closings.MonthText(first)
	return s.sendDocument(ctx, document{scope: MonthScope(first), days: d.Days, text: monthText(d, files, left, s.public, by.Actor), files: files}, to, before, by)
}

func monthText(d *months.Detail, files []outbox.Attachment, left, public, sender string) documentText {
	c := d.InForce()
	zone := d.Query.Zone
	name := phrase.MonthName(d.Days.First)
	t := documentText{
		Subject: "Affiliate commission of " + name + ", closed",
		Over:    "Affiliate commission", Heading: name,
		Lines: []string{
			phrase.MonthClosed(&d.Line, zone),
			phrase.Capital(phrase.ClosedBy(c, zone)) + ".",
		},
	}
	if len(d.Accounts) == 1 {
		t.Over += " · " + affiliate.OneLine(string(d.Accounts[0]))
	}
	if c.Complete {
		t.Lines = append(t.Lines, c.Proof...)
	} else {
		t.Subject += " incomplete"
		t.Warning = "The month is not complete. "
		for _, lack := range c.Proof {
			t.Warning += lack + " "
		}
		t.Warning += "It was closed all the same: " + affiliate.OneLine(c.Reason)
	}
	if c.Complete && c.Reason != "" {
		t.Lines = append(t.Lines, "Note: "+affiliate.OneLine(c.Reason))
	}
	if left != "" {
		t.Lines = append(t.Lines, left)
	}
	if public != "" {
		t.Lines = append(t.Lines, "The page of the month: "+public+"/months/"+closings.MonthText(d.Days.First))
	}
	coins := FigureTable{Title: "Commission by coin, exact", Head: []string{"Coin", "As closed", "Since"}}
	for i := range d.Coins {
		coin := &d.Coins[i]
		after := coin.After()
		since := "unchanged"
		if !after.Decimal().IsZero() {
			since = phrase.Signed(after.Decimal())
		}
		closed := coin.Closed.Commission
		coins.Rows = append(coins.Rows, []string{affiliate.OneLine(string(coin.Coin)), affiliate.Grouped(closed.Decimal().String()), since})
	}
	t.Tables = append(t.Tables, coins)
	if open := openPayments(d); len(open.Rows) > 0 {
		t.Tables = append(t.Tables, open)
	}
	var names string
	for i, f := range files {
		if i > 0 {
			names += ", "
		}
		names += f.Name
	}
	t.Reason = fmt.Sprintf("Sent by %s. Attached: %s. The workbook has the sums as closed and as known when this was sent; the evidence pack is signed and never changes.", affiliate.OneLine(sender), names)
	return t
}

// openPayments lists payments of the month that were not as earned when it was closed.
func openPayments(d *months.Detail) FigureTable {
	list := d.Details.Payments
	t := FigureTable{Title: "Payments that were open at the close", Head: []string{"Period (UTC)", "Earned", "Paid", "State"}}
	for i, p := range list {
		if i == topLines {
			t.Title += ", and " + phrase.Count(len(list)-i) + " more"
			break
		}
		words := phrase.PaymentPeriod(p.From, p.To) + ", " + affiliate.OneLine(string(p.Coin))
		t.Rows = append(t.Rows, []string{words, affiliate.Grouped(string(p.Earned)), affiliate.Grouped(string(p.Paid)), p.State})
	}
	return t
}
