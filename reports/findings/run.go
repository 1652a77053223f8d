package findings

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

var _ = register(Kind{
	Finding: Run{},
	Check:   &Check{Place: 30, Of: "failed collections", Said: "failed and missing runs", NoPast: true, Find: findRuns},
	Alert: &Alert{
		Name: "collection", Place: 10, Title: "Collection fails",
		When:    "No collection has finished without an error for some hours. You also get a mail when it works again.",
		Help:    "it fails for --hours",
		Hours:   3,
		Words:   func(w *Watched) string { return "Collection fails for " + phrase.Things(w.Hours, "hour") },
		Signals: func(_ context.Context, w *Watched) ([]Signal, error) { return failingSignals(w), nil },
	},
	Events: []Event{{
		Name: "collection.failed", Place: 10, Label: "A run of the collection fails",
		When: "The newest run of an account failed. Once until a run succeeds.", Key: "collection|",
		Signals: func(_ context.Context, w *Watched) ([]Signal, error) { return failedSignals(w), nil },
	}},
	Headline: collectionHeadline,
})

const (
	// runsBack is the number of runs that are checked.
	runsBack = 50
	// lastingRuns is the number of consecutive failed runs that no longer looks temporary.
	lastingRuns = 3
)

// Run says that the newest runs of the collector failed.
type Run struct {
	Account affiliate.Account
	InARow  int              // number of runs; at most 50
	Since   affiliate.Millis // when the first of them began
	Slices  int64            // slices that the newest run could not read
	Error   string           // why the newest run ended early, or why its first slice could not be read
}

// Severity rises once the failure no longer looks temporary.
func (f Run) Severity() Severity {
	if f.InARow >= lastingRuns {
		return SeverityAlert
	}
	return SeverityWarning
}

func (f Run) words(a About) Statement {
	text := "The last run" + a.of(f.Account) + " failed"
	if f.InARow > 1 {
		text = "The last " + strconv.Itoa(f.InARow) + " runs" + a.of(f.Account) + " failed"
	}
	text += ", since " + phrase.Clock(f.Since.Time(), a.Zone)
	if f.Slices > 0 {
		text += "; the newest could not read " + phrase.Things(f.Slices, "window")
	}
	return Statement{Title: "Collection fails", Text: phrase.Say(text + "."), Foreign: phrase.Told(f.Error), Link: "See the runs", Href: "/collection"}
}

// findRuns checks the newest runs of each account. An account without runs is not stale: its
// days are gaps.
func findRuns(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	var found []Finding
	for _, account := range s.Accounts {
		list, _, err := records.Runs(ctx, s.Tx, account, runsBack, 0)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		failed, err := failedRuns(ctx, s, account, list)
		if err != nil {
			return nil, err
		}
		found = append(found, failed...)
		if s.Now.Sub(list[0].Started.Time()) > staleHours*time.Hour {
			found = append(found, Stale{account, list[0].Started})
		}
	}
	return found, nil
}

func failedRuns(ctx context.Context, s *recent.Snapshot, account affiliate.Account, list []records.Run) ([]Finding, error) {
	if !list[0].Finished.Known() {
		list = list[1:] // its outcome is not known yet
	}
	list = slices.DeleteFunc(slices.Clone(list), func(r records.Run) bool { return r.Error == records.RunStopped && !r.Fails() })
	f := Run{Account: account}
	for _, run := range list {
		if !run.Fails() {
			break
		}
		f.InARow++
		f.Since = run.Started
	}
	if f.InARow == 0 {
		return nil, nil
	}
	f.Slices, f.Error = list[0].Failed, list[0].Error
	if f.Error == records.RunStopped {
		f.Error = ""
	}
	problems, err := records.SliceProblems(ctx, s.Tx, list[0].ID)
	if f.Error == "" && len(problems) > 0 {
		f.Error = problems[0].Error
	}
	return []Finding{f}, err
}

// failingSignals reports accounts whose collection has failed for as long as the
// alert specifies, and reported accounts that have recovered.
func failingSignals(w *Watched) (found []Signal) {
	for _, c := range w.Collecting {
		if w.Now.Sub(lastWell(w, c)) >= time.Duration(w.Hours)*time.Hour {
			found = append(found, failing(w, c))
			continue
		}
		for _, f := range w.Known {
			if good, ok := strings.CutPrefix(f.Key, fmt.Sprintf("collection|%s|", c.Account)); ok && good != fmt.Sprint(c.Good) {
				found = append(found, Signal{Key: "again|" + string(c.Account) + "|" + good, Page: withQuery("/collection", "account", string(c.Account)),
					Words:  fmt.Sprintf("The collection of %s works again: a run that ended %s read everything it asked for.", affiliate.OneLine(string(c.Account)), phrase.Clock(c.GoodAt.Time(), w.Zone)),
					Detail: details("account", string(c.Account), "last_good", c.GoodAt.String())})
			}
		}
	}
	return found
}

// lastWell returns when a collection was last known to succeed. For one that never
// succeeded, it returns the beginning of the alert.
func lastWell(w *Watched, c records.Collecting) time.Time {
	at := c.GoodAt
	if c.Good == 0 {
		at = w.Since
	}
	return max(at, c.Read).Time()
}

// failedSignals reports accounts whose newest run failed, once until a run succeeds.
func failedSignals(w *Watched) (found []Signal) {
	for _, c := range w.Collecting {
		if c.Error != "" && !c.Read.Known() { // a run that is in progress may mend it
			found = append(found, failing(w, c))
		}
	}
	return found
}

// failing says since when and why the collection of an account has been failing.
func failing(w *Watched, c records.Collecting) Signal {
	words := fmt.Sprintf("The collection of %s has never gone well", affiliate.OneLine(string(c.Account)))
	if c.Good != 0 {
		words = fmt.Sprintf("The collection of %s has not gone well since %s", affiliate.OneLine(string(c.Account)), phrase.Clock(c.GoodAt.Time(), w.Zone))
	}
	if c.Error != "" {
		words += ": " + phrase.Because(c.Error)
	} else {
		words += ": no run has ended since"
	}
	return Signal{Key: fmt.Sprintf("collection|%s|%d", c.Account, c.Good), Words: words, Page: withQuery("/collection", "account", string(c.Account)),
		Detail: details("account", string(c.Account), "error", phrase.Told(c.Error), "exact", phrase.Exactly(c.Error), "last_good", c.GoodAt.String())}
}

func collectionHeadline(_ *Watched, facts []outbox.Fact) string {
	again := 0
	for _, f := range facts {
		if strings.HasPrefix(f.Key, "again|") {
			again++
		}
	}
	switch again {
	case 0:
		return "collection is failing"
	case len(facts):
		return "collecting again"
	}
	return "collection failed, and goes on again"
}
