package ui

import (
	"cmp"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
)

// told lists the failures to tell on every page. While a collection runs, these are the accounts
// that nothing was read of so far.
func (r CollectionRun) told() (list []collector.Failure) {
	for _, f := range r.Failures {
		if !r.Running || !f.Since.IsZero() {
			list = append(list, f)
		}
	}
	return list
}

// stateWords say what a running collection does.
func (r CollectionRun) stateWords() string {
	words := "A collection has begun"
	if r.Stream.Kind != "" {
		words = "Collecting " + phrase.Stream(r.Stream)
	}
	if r.Window.Len() > 0 && r.Window.First != 0 {
		words += " of " + phrase.Days(r.Window)
	}
	words += ", " + phrase.Things(r.Records, "record")
	switch {
	case r.Waiting != "":
		words += "; waiting: " + r.Waiting
	case r.Remaining > 0 && len(r.told()) == 0:
		words += "; " + phrase.Duration(r.Remaining) + " left"
	}
	return words
}

// finishedAt is the time at which the newest collection ended, of an earlier day its date.
func (r CollectionRun) finishedAt() string {
	if r.Finished.IsZero() {
		return ""
	}
	at := r.Finished.In(r.Zone)
	if affiliate.DayOf(at, r.Zone) != affiliate.DayOf(r.Now, r.Zone) {
		return at.Format("2 Jan")
	}
	return at.Format("15:04")
}

// FailureWords says in one sentence what fails, since when.
func (r CollectionRun) FailureWords(f collector.Failure) string {
	of := ""
	if r.Several {
		of = " for the account " + affiliate.OneLine(string(f.Account))
	}
	if f.Since.IsZero() {
		return "A part could not be read" + of + ": " + strings.TrimSuffix(cmp.Or(f.Class.Words(), phrase.Capital(f.Error)), ".") + "."
	}
	since := " since " + r.instant(f.Since) + "."
	if words := f.Class.Words(); words != "" {
		if strings.Contains(words, ",") {
			of += ","
		}
		return phrase.Capital(words) + of + since
	}
	return "Nothing could be collected" + of + since + " " + phrase.Sentence(f.Error)
}

// FailureRest says how far figures reach, when the exchange is asked again, and what to do if the
// exchange has to be answered otherwise before it does.
func (r CollectionRun) FailureRest(f collector.Failure) string {
	var words []string
	if !f.Since.IsZero() && !f.ReadTo.IsZero() {
		words = append(words, "Figures go up to "+r.instant(f.ReadTo)+".")
	}
	waits := f.Class == exchange.ClassTransport || f.Class == exchange.ClassUpstream || f.Class == exchange.ClassRateLimit
	if f.Hint != "" && !f.Since.IsZero() && (!waits || f.ReadTo.IsZero()) {
		words = append(words, phrase.Sentence(phrase.Capital(f.Hint)))
	}
	if r.Running {
		words = append(words, "It is tried again now.")
	} else if !r.Next.IsZero() {
		words = append(words, "Next try "+r.instant(r.Next)+".")
	}
	return strings.Join(words, " ")
}

// instant names an instant by its clock time, and by its day if that is not the day on which the
// page was drawn.
func (r CollectionRun) instant(at time.Time) string {
	zone := cmp.Or(r.Zone, time.UTC)
	if at.In(zone).Format(time.DateOnly) == r.Now.In(zone).Format(time.DateOnly) {
		return at.In(zone).Format("15:04 MST")
	}
	return phrase.Clock(at, zone)
}
