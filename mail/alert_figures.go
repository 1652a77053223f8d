package mail

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

const (
	// dropDays is how long after its end a day that was collected late is still
	// reported.
	dropDays = 7
	// restatedWithin is the period over which changes are added up.
	restatedWithin = 24 * time.Hour
)

// dropSignals reports days that brought too little. Days that ended before the alert
// began are left out.
func (a Alert) dropSignals(days []overview.Weekday, zone *time.Location) (found []signal) {
	for _, d := range days {
		over := !d.Day.Range(zone).To.After(a.Since.Time())
		if over || !d.Usual.IsPositive() || !d.Commission.Shift(2).LessThan(d.Usual.Mul(decimal.NewFromInt(int64(a.Percent)))) {
			continue
		}
		found = append(found, signal{
			Key:   fmt.Sprintf("drop|%s|%s|%s", a.Account, d.Coin, d.Day),
			Words: phrase.Weekday(d, zone),
			Page:  withQuery("/", "from", d.Day.String(), "to", d.Day.String(), "coin", string(d.Coin), "account", string(a.Account)),
		})
	}
	return found
}

// restatedKey returns the start of the key of changes in the alert's coin; the time at
// which the newest change was found follows.
func (a Alert) restatedKey() string { return fmt.Sprintf("restatement|%s|%s|", a.Account, a.Coin) }

// restatedSince returns the instant after which changes count. It excludes changes
// before the alert began, reported ones, and old ones.
func (a Alert) restatedSince(known []outbox.Fact, now time.Time) affiliate.Millis {
	since := max(a.Since, affiliate.MillisOf(now.Add(-restatedWithin)))
	for _, f := range known {
		if text, ok := strings.CutPrefix(f.Key, a.restatedKey()); ok {
			if newest, err := strconv.ParseInt(text, 10, 64); err == nil {
				since = max(since, affiliate.Millis(newest))
			}
		}
	}
	return since
}

// restatedSignals reports changes whose sum is too large in either direction.
func (a Alert) restatedSignals(n commissions.Restated, zone *time.Location) []signal {
	if n.Records == 0 || !n.Gross().GreaterThan(a.Amount.Decimal()) {
		return nil
	}
	return []signal{{
		Key:   a.restatedKey() + fmt.Sprint(int64(n.Newest)),
		Words: phrase.Restated(n, zone) + ", found " + phrase.Clock(n.Newest.Time(), zone),
		Page:  withQuery("/collection/restatements", "from", n.Days.First.String(), "to", n.Days.Last.String(), "coin", string(a.Coin), "account", string(a.Account)),
	}}
}

// silenceSignals reports invitees who stopped trading. An invitee who trades again and
// falls silent again is reported again.
func (a Alert) silenceSignals(list []attention.SilentFinding) (found []signal) {
	for _, f := range list {
		for _, one := range f.Most {
			if f.Coin != a.Coin || !one.AtRisk.GreaterThan(a.Amount.Decimal()) {
				continue
			}
			found = append(found, signal{
				Key:   fmt.Sprintf("silence|%s|%s|%s|%s", one.Account, one.UID, f.Coin, one.Last),
				Words: phrase.Silence(one, f.Coin),
				Page:  withQuery("/invitees/"+url.PathEscape(string(one.UID)), "account", string(one.Account)),
			})
		}
	}
	return found
}
