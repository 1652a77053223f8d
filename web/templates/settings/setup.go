package settings

import (
	"strconv"

	"rebatedesk/reports/phrase"
	"rebatedesk/web/admin"
	"rebatedesk/web/templates/ui"
)

// StepState is how far a step of the first setup is.
type StepState string

// States of a step.
const (
	StepOpen    StepState = ""
	StepDone    StepState = "done"
	StepSkipped StepState = "skipped"
)

// SetupStep is one step of the first setup.
type SetupStep struct {
	Name, Label string
	Title       string // what is done in it
	State       StepState
}

// StepsView is the page of the first setup.
type StepsView struct {
	Settings
	Steps    []SetupStep
	Current  string // name of the step that is shown
	Left     bool   // the pages do not lead here
	Alert    string
	Accounts []admin.ExchangeAccount
	Account  admin.ExchangeAccount // the first one; without a name there is none
	Usable   bool                  // a key was tested, or has read something
	Checks   []admin.AccountCheck  // of the test just made
	New      ui.Form
	Run      ui.CollectionRun
	Wanted   int // stream-days to read
	Read     int // of them, read
	Mail     MailServerView
	Invited  Invitation // made just now
	Invite   ui.Form
}

// step returns the step that is shown.
func (v StepsView) step() SetupStep { return v.Steps[v.number()-1] }

func (v StepsView) number() int {
	for i, s := range v.Steps {
		if s.Name == v.Current {
			return i + 1
		}
	}
	return 0
}

// next returns the step after the current one; without a name there is none.
func (v StepsView) next() SetupStep {
	if n := v.number(); n < len(v.Steps) {
		return v.Steps[n]
	}
	return SetupStep{}
}

func (s SetupStep) words() string {
	switch s.State {
	case StepDone:
		return "done"
	case StepSkipped:
		return "later"
	}
	return "open"
}

func (s SetupStep) address() string { return "/settings/setup?step=" + s.Name }

// EnoughRights reports whether a test found every right that reports need.
func EnoughRights(checks []admin.AccountCheck) bool {
	found := 0
	for _, c := range checks {
		if c.Result == admin.CheckFailed {
			return false
		}
		if c.Need == admin.RightNeeded {
			if c.Result != admin.CheckPassed {
				return false
			}
			found++
		}
	}
	return found > 0
}

// steps and rights divide the result of a test.
func stepsOf(checks []admin.AccountCheck) (list []admin.AccountCheck) {
	for _, c := range checks {
		if c.Need == "" {
			list = append(list, c)
		}
	}
	return list
}

func rightsOf(checks []admin.AccountCheck) (list []admin.AccountCheck) {
	for _, c := range checks {
		if c.Need != "" {
			list = append(list, c)
		}
	}
	return list
}

func needWords(n admin.RightNeed) string {
	switch n {
	case admin.RightNeeded:
		return "needed"
	case admin.RightUseful:
		return "useful"
	}
	return "leave it off"
}

// resultWords says what a test found about a right.
func resultWords(c admin.AccountCheck) string {
	switch c.Result {
	case admin.CheckPassed:
		return "works"
	case admin.CheckFailed:
		return "does not work"
	case admin.CheckWarned:
		return "missing"
	}
	return "not tested"
}

// readWords says how much was read, on every node: the database knows.
func (v StepsView) readWords() string {
	if v.Wanted == 0 {
		return "Nothing has been read yet."
	}
	return phrase.Things(int64(v.Read), "day") + " of " + strconv.Itoa(v.Wanted) + " are read, counted for each kind of record."
}

// runningWords says how far a running collection is. There is no estimate before a tenth is read.
func runningWords(r ui.CollectionRun) string {
	words := "The collection is running: " + strconv.Itoa(r.Percent()) + " % of it is read"
	if r.Remaining > 0 {
		return words + ", " + phrase.Duration(r.Remaining) + " left."
	}
	return words + ". How long it takes can be said once a tenth is read."
}
