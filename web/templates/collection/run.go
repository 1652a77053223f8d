package collection

import (
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/received"
)

// RunView is the page about one run.
type RunView struct {
	Run         collection.RunSlices
	Zone        *time.Location
	MayDownload bool // the answers that are kept
}

// lead says in one sentence what there is to show for the run.
func (v RunView) lead() string {
	var answers, bytes int64
	slices, kept := 0, 0
	for _, s := range v.Run.Slices {
		answers += s.Answers
		bytes += s.Bytes
		if s.SHA256 != "" {
			slices++
		}
		if s.Kept {
			kept++
		}
	}
	switch {
	case len(v.Run.Slices) == 0:
		return "This run wrote nothing, so there are no answers to show for it."
	case slices == 0:
		return "The answers of this run have no fingerprints: an older version collected them."
	}
	text := fmt.Sprintf("The exchange gave %s with %s; their fingerprints are below.", phrase.Things(answers, "answer"), phrase.Size(bytes))
	switch kept {
	case 0:
		return text + " The answers themselves are not kept."
	case slices:
		return text + " The answers themselves are kept."
	}
	return text + fmt.Sprintf(" The answers themselves are kept of %s.", phrase.Things(kept, "slice"))
}

// runPath is the address of the page about a run.
func runPath(run int64) string { return fmt.Sprintf("/collection/runs/%d", run) }

// answersPath is the address of the file with the answers of a slice.
func answersPath(s received.SliceLine) string {
	return fmt.Sprintf("/collection/slices/%d/answers.zip", s.Slice)
}

// second prints an instant to the second.
func second(at affiliate.Millis, zone *time.Location) string {
	return at.Time().In(zone).Format("2 Jan 2006 15:04:05")
}

// noAnswers is why a slice has no fingerprint.
const noAnswers = "nothing was asked for, or an older version collected it"
