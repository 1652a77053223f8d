package worklist

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
	acts "rebatedesk/store/worklist"
)

// ContactDays is for how many days it is reported what came of a contact.
const ContactDays = 180

// Contact is a contact with an invitee, and what came after it.
type Contact struct {
	Act acts.Act
	Day affiliate.Day // reporting day of the contact
	// Until is the last day that is counted: today, or the day of the next contact.
	Until affiliate.Day
	// Traded is the first later day with a trade; 0: there was none, as far as is known. The day of
	// the contact itself does not count, since its trades may be older than the contact.
	Traded affiliate.Day
	// Unknown means that no trade is known, but some of the days are not collected.
	Unknown bool
	Since   []affiliate.Amount // commission of the counted days, per coin
	Worth   figures.Valuation  // of Since, at today's prices

	today affiliate.Day
}

// Away reports whether the invitee did not trade, or less than usual, when it was contacted.
func (c *Contact) Away() bool {
	return slices.ContainsFunc(c.Act.Reasons, func(r acts.Covered) bool {
		return slices.Contains([]ReasonName{ReasonTie, ReasonSilent, ReasonSlowing, ReasonLevel, ReasonNoTrade}, ReasonName(r.Reason))
	})
}

// Days returns how many days after the contact the invitee traded.
func (c *Contact) Days() int { return int(c.Traded - c.Day) }

// ContactResults sums up what came after the contacts of [ContactDays]. It says what happened after
// them, not because of them.
type ContactResults struct {
	Contacts int
	Away     int               // with invitees who did not trade, or less than usual
	Back     int               // of these: who traded afterwards
	Unknown  int               // of these: of whom that is not known yet
	Median   figures.HalfDays  // days from contact to trade of those who came back
	Since    figures.Valuation // commission since, of all contacts; each day of an invitee counts once
}

// follow finds out what came after contacts.
func (d *desk) follow(ctx context.Context, contacts []*Contact) (o ContactResults, err error) {
	if len(contacts) == 0 {
		return o, nil
	}
	var keys []sums.InviteeKey
	f := d.everyone()
	f.Days = affiliate.Days{First: d.today, Last: d.today}
	for _, c := range contacts {
		keys = append(keys, c.key())
		f.Days.First = min(f.Days.First, c.Day+1)
	}
	slices.SortFunc(keys, compareKeys)
	keys = slices.Compact(keys)
	days, err := snapshot.OfDaysOnce(ctx, d.Snapshot, nameOf(keys), f, sums.DaysOfInvitees(keys), sums.JoinDays)
	if err != nil {
		return o, err
	}
	cover, err := d.ReadCoverage(ctx, affiliate.Commissions, f.Days)
	if err != nil {
		return o, err
	}
	var gaps []int
	total := figures.CoinTotals{}
	for _, c := range contacts {
		c.follow(days[c.key()], cover, d.prices)
		for _, amount := range c.Since {
			total.Add([]figures.Totals{figures.CommissionIn(amount.Coin, 1, amount.Value)})
		}
		o.Contacts++
		if !c.Away() {
			continue
		}
		o.Away++
		switch {
		case c.Traded != 0:
			o.Back++
			gaps = append(gaps, c.Days())
		case c.Unknown:
			o.Unknown++
		}
	}
	o.Since = d.prices.Worth(amountsOf(total)...)
	if n := len(gaps); n > 0 {
		slices.Sort(gaps)
		o.Median = figures.HalfDays(gaps[(n-1)/2] + gaps[n/2])
	}
	return o, nil
}

func (c *Contact) key() sums.InviteeKey {
	return sums.InviteeKey{Account: c.Act.Account, UID: c.Act.UID}
}

// follow takes from the days of the invitee what came after the contact.
func (c *Contact) follow(days []sums.DaySums, cover *coverage.Map, prices figures.Prices) {
	total := figures.CoinTotals{}
	c.Traded, c.Unknown, c.Since = 0, false, nil
	for _, s := range days {
		if s.Day <= c.Day || s.Day > c.Until {
			continue
		}
		if c.Traded == 0 {
			c.Traded = s.Day
		}
		total.Add([]figures.Totals{figures.CommissionIn(s.Coin, s.Records, s.Commission.Decimal())})
	}
	c.Since = amountsOf(total)
	c.Worth = prices.Worth(c.Since...)
	for day := c.Day + 1; day <= min(c.Until, c.today-1) && c.Traded == 0; day++ {
		c.Unknown = c.Unknown || cover.State(day) != coverage.DayCollected
	}
}
