package store

import "fmt"

// VerifyResult is the outcome of one check of [upkeep.Verify].
type VerifyResult struct {
	Check  string   // what was checked: "roll-ups"
	Seen   string   // how much was looked at: "365 days"
	Faults []string // what is wrong; the first 20
	More   int      // how many faults are not listed
	Remedy string   // what to do about such faults

	// Unproved says that nothing was found wrong: the fault is that the key is
	// missing which would prove it.
	Unproved bool
}

// Sound reports whether nothing is wrong.
func (f VerifyResult) Sound() bool { return len(f.Faults) == 0 }

// maxFaults is how many faults a finding lists: one broken hour can stand
// behind a million of them.
const maxFaults = 20

func (f *VerifyResult) Fault(format string, args ...any) {
	if len(f.Faults) == maxFaults {
		f.More++
		return
	}
	f.Faults = append(f.Faults, fmt.Sprintf(format, args...))
}

// Count is how many faults were found.
func (f *VerifyResult) Count() int { return len(f.Faults) + f.More }
