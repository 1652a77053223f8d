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
	// dropDays is how long after its end a day is still told of, where it took
	// so long to be collected.
	dropDays = 7
	// restatedWithin is how far back changes count together.
	restatedWithin = 24 * time.Hour
)

// dropSignals tell of days that brought too little. What was over when the alert
// began is none.
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

// restatedKey begins the key of changes of the coin of an alert; when the newest
// of them was found follows.
func (a Alert) restatedKey() string { return fmt.Sprintf("restatement|%s|%s|", a.Account, a.Coin) }

// restatedSince is the instant after which changes count: not those before the
// alert began, not those told of, and not those of long ago.
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

// restatedSignals tell of changes that are too large together, whichever way
// they go.
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

// silenceSignals tell of invitees who stopped trading. One that trades again and
// falls silent once more is told of once more.
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
