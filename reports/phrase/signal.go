package phrase

import (
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/store/records"
)

// Failing says since when and why the collection of an account has been failing.
func Failing(c records.Collecting, zone *time.Location) string {
	words := fmt.Sprintf("The collection of %s has never gone well", affiliate.OneLine(string(c.Account)))
	if c.Good != 0 {
		words = fmt.Sprintf("The collection of %s has not gone well since %s", affiliate.OneLine(string(c.Account)), Clock(c.GoodAt.Time(), zone))
	}
	if c.Error != "" {
		return words + ": " + Because(c.Error)
	}
	return words + ": no run has ended since"
}

// Recovered says that the collection of an account works again.
func Recovered(c records.Collecting, zone *time.Location) string {
	return fmt.Sprintf("The collection of %s works again: a run that ended %s read everything it asked for.", affiliate.OneLine(string(c.Account)), Clock(c.GoodAt.Time(), zone))
}

// Weekday compares a day's commission with the usual commission of its weekday. Less than nothing is no
// part of it.
func Weekday(d overview.Weekday, zone *time.Location) string {
	part := "usual are"
	if share := figures.PortionsOf(d.Usual).Share(d.Commission); share.Known && d.Usual.IsPositive() {
		part = Percent(share.Percent) + " of the usual"
	}
	return fmt.Sprintf("%s (%s) brought %s: %s %s, the mean of %s before", d.Day.Format("Mon 2 Jan 2006"), zone,
		money(d.Commission, d.Coin), part, money(d.Usual, d.Coin), Things(d.Of, d.Day.Weekday().String()))
}

// Silence says that an invitee stopped trading, and how much commission it used to bring.
func Silence(one attention.SilentInvitee, coin affiliate.Coin) string {
	return fmt.Sprintf("Invitee %s of %s stopped trading: the last trade was %s, %s ago, the usual gap is %s; it used to bring %s in 30 days",
		affiliate.OneLine(string(one.UID)), affiliate.OneLine(string(one.Account)), one.Last.Format(dayForm), Things(one.Days, "day"), one.UsualGap.Words(), money(one.AtRisk, coin))
}
