package store

import "fmt"

// VerifyResult is the result of one check of [upkeep.Verify].
type VerifyResult struct {
	Check  string   // what was checked: "roll-ups"
	Seen   string   // how much was checked: "365 days"
	Faults []string // what is wrong; the first 20
	More   int      // how many faults are not listed
	Remedy string   // what to do about such faults

	// Warnings are no faults, and weaken what the check proves.
	Warnings []string

	// Unproved means that nothing wrong was found, but the key that would prove it is
	// missing.
	Unproved bool
}

// Sound reports whether the check found no fault.
func (f VerifyResult) Sound() bool { return len(f.Faults) == 0 }

// maxFaults is how many faults a result lists: one broken hour can cause a million of them.
const maxFaults = 20

func (f *VerifyResult) Fault(format string, args ...any) {
	if len(f.Faults) == maxFaults {
		f.More++
		return
	}
	f.Faults = append(f.Faults, fmt.Sprintf(format, args...))
}

// Count returns how many faults were found.
func (f *VerifyResult) Count() int { return len(f.Faults) + f.More }
