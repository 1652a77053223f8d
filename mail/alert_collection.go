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

// collectionSignals tell of accounts whose collection has not gone well for as
// long as the alert says, and of those told of that go well again.
func (a Alert) collectionSignals(list []records.Collecting, known []outbox.Fact, now time.Time, zone *time.Location) (found []signal) {
	for _, c := range list {
		page := withQuery("/collection", "account", string(c.Account))
		begins := fmt.Sprintf("collection|%s|", c.Account)
		if down := (signal{Key: begins + fmt.Sprint(c.Good), Words: phrase.Failing(c, zone), Page: page}); now.Sub(a.well(c)) >= time.Duration(a.Hours)*time.Hour {
			found = append(found, down)
			continue
		}
		for _, f := range known {
			if good, ok := strings.CutPrefix(f.Key, begins); ok && good != fmt.Sprint(c.Good) {
				found = append(found, signal{Key: "again|" + string(c.Account) + "|" + good, Page: page,
					Words: phrase.Recovered(c, zone)})
			}
		}
	}
	return found
}

// well is when a collection was last seen to go well. One that never did counts
// from the beginning of the alert.
func (a Alert) well(c records.Collecting) time.Time {
	at := c.GoodAt
	if c.Good == 0 {
		at = a.Since
	}
	return max(at, c.Read).Time()
}

// gapSignals tell of days that are over and not collected. Days whose turn comes
// in a run that is under way and has failed at nothing are none.
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
			words += " – " + phrase.Foreign(reason)
		}
		found = append(found, signal{Key: fmt.Sprintf("gap|%s|%s", at.account, at.day), Words: gapDays(at.account, affiliate.Days{First: at.day, Last: at.day}) + words,
			Page: withQuery("/collection", "account", string(at.account)), After: time.Duration(a.Hours) * time.Hour})
	}
	return found
}

// gapDays begins the words about missing days.
func gapDays(account affiliate.Account, days affiliate.Days) string {
	return affiliate.OneLine(string(account)) + ", " + phrase.DaysIn(days, time.UTC) + ": "
}

// joined are the facts of a message, with neighbouring days that lack the same
// as one: an outage of a month is one line.
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

// gapKey is what the key of a missing day says.
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

// withQuery is the address of a page with parameters, empty ones left out.
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
