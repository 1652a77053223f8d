package mail

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// collectionSignals reports accounts whose collection has failed for as long as the
// alert specifies, and reported accounts that have recovered.
func (a Alert) collectionSignals(list []records.Collecting, known []outbox.Fact, now time.Time, zone *time.Location) (found []signal) {
	for _, c := range list {
		page := withQuery("/collection", "account", string(c.Account))
		begins := fmt.Sprintf("collection|%s|", c.Account)
		if down := (signal{Key: begins + fmt.Sprint(c.Good), Words: phrase.Failing(c, zone), Page: page,
			Detail: details("account", string(c.Account), "error", phrase.Told(c.Error), "exact", phrase.Exactly(c.Error), "last_good", instant(c.GoodAt))}); now.Sub(a.well(c)) >= time.Duration(a.Hours)*time.Hour {
			found = append(found, down)
			continue
		}
		for _, f := range known {
			if good, ok := strings.CutPrefix(f.Key, begins); ok && good != fmt.Sprint(c.Good) {
				found = append(found, signal{Key: "again|" + string(c.Account) + "|" + good, Page: page,
					Words: phrase.Recovered(c, zone), Detail: details("account", string(c.Account), "last_good", instant(c.GoodAt))})
			}
		}
	}
	return found
}

// well returns when a collection was last known to succeed. For one that never
// succeeded, it returns the beginning of the alert.
func (a Alert) well(c records.Collecting) time.Time {
	at := c.GoodAt
	if c.Good == 0 {
		at = a.Since
	}
	return max(at, c.Read).Time()
}

// gapSignals reports past days that are not collected. Days still to be collected by a
// run that is in progress and has had no failure are left out.
func (a Alert) gapSignals(gaps []coverage.Gap, list []records.Collecting, now time.Time) []signal {
	under := map[affiliate.Account]bool{}
	for _, c := range list {
		under[c.Account] = c.Read.Known()
	}
	missing, reasons := map[gapKey][]string{}, map[gapKey]string{}
	var places []gapKey
	for _, gap := range gaps {
		if gap.Account == "" || gap.Reason == "" && under[gap.Account] {
			continue
		}
		for day := gap.Days.First; day <= gap.Days.Last && !day.Range(time.UTC).To.After(now); day++ {
			at := gapKey{gap.Account, day}
			if missing[at] == nil {
				places = append(places, at)
			}
			missing[at] = append(missing[at], phrase.Stream(gap.Stream))
			reasons[at] = max(reasons[at], gap.Reason)
		}
	}
	slices.SortFunc(places, func(a, b gapKey) int { return int(a.day - b.day) })
	var found []signal
	for _, at := range places {
		words := strings.Join(missing[at], ", ") + " not collected"
		if reason := reasons[at]; reason != "" {
			words += " – " + phrase.Because(reason)
		}
		found = append(found, signal{Key: fmt.Sprintf("gap|%s|%s", at.account, at.day), Words: gapDays(at.account, affiliate.Days{First: at.day, Last: at.day}) + words,
			Page: withQuery("/collection", "account", string(at.account)), After: time.Duration(a.Hours) * time.Hour,
			Detail: details("account", string(at.account), "day", at.day.String(), "streams", strings.Join(missing[at], ", "), "error", phrase.Told(reasons[at]), "exact", phrase.Exactly(reasons[at]))})
	}
	return found
}

// gapDays returns the start of the text about missing days.
func gapDays(account affiliate.Account, days affiliate.Days) string {
	return affiliate.OneLine(string(account)) + ", " + phrase.DaysIn(days, time.UTC) + ": "
}

// joined returns the facts of a message, with neighbouring days that lack the same data
// merged into one: an outage of a month is one line.
func joined(facts []outbox.Fact) (list []outbox.Fact) {
	var last gapKey
	var days affiliate.Days
	var rest string
	for _, f := range facts {
		key, ok := gapOf(f.Key)
		if !ok {
			list, rest = append(list, f), ""
			continue
		}
		own := strings.TrimPrefix(f.Words, gapDays(key.account, affiliate.Days{First: key.day, Last: key.day}))
		if rest == own && key == (gapKey{last.account, last.day + 1}) && list[len(list)-1].Lasting == f.Lasting {
			days.Last = key.day
			list[len(list)-1].Words = gapDays(key.account, days) + own
		} else {
			list, days = append(list, f), affiliate.Days{First: key.day, Last: key.day}
		}
		last, rest = key, own
	}
	return list
}

// gapKey is the parsed key of a missing day.
type gapKey struct {
	account affiliate.Account
	day     affiliate.Day
}

func gapOf(key string) (gapKey, bool) {
	text, ok := strings.CutPrefix(key, "gap|")
	at := strings.LastIndex(text, "|")
	if !ok || at < 0 {
		return gapKey{}, false
	}
	day, err := affiliate.ParseDay(text[at+1:])
	return gapKey{affiliate.Account(text[:at]), day}, err == nil
}

// withQuery returns the address of a page with its non-empty parameters.
func withQuery(path string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
