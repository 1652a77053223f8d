package admin

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store/upkeep"
)

// ExchangeAccount is an affiliate account, without its keys.
type ExchangeAccount struct {
	Name            affiliate.Account
	Exchange        string // by its name in settings
	BaseURL         string
	ContractBaseURL string
	APIVersion      string
	Locale          string
	Trades          bool
	Settings        bool             // it is in the settings and can be changed only there
	Hidden          bool             // stored but not used: a configured account has the same name
	Created         affiliate.Millis // of stored accounts only, as are the fields below
	Rotated         affiliate.Millis // when its keys were last set
	Disabled        affiliate.Millis // zero: it is in use
	Updated         affiliate.Millis // identifies its version
	Problem         string           // why it cannot be used; empty if it can
}

// AccountCheck is one step of the test of an account.
type AccountCheck struct {
	Name   string
	Result CheckResult
	Text   string // the result; contains no secret
	Hint   string // advice, if known
	Need   RightNeed
}

// RightNeed says whether a key should have a right. It is empty for a step that is about no right.
type RightNeed string

// Needs of a right.
const (
	RightNeeded   RightNeed = "needed"   // nothing can be collected without it
	RightUseful   RightNeed = "useful"   // something is left out without it
	RightUnwanted RightNeed = "unwanted" // a key is safer without it
)

// CheckResult is the result of a step.
type CheckResult string

// The results. A step after a failed one is left out.
const (
	CheckPassed  CheckResult = "ok"
	CheckFailed  CheckResult = "failed"
	CheckWarned  CheckResult = "warning" // nothing fails, but something is left out
	CheckSkipped CheckResult = "skipped"
)

// BackupState is the state of the daily backups.
type BackupState struct {
	Dir  string // absolute
	Keep int    // how many are kept; 0: none are made
	At   string // time of day in the reporting zone
	File string // of the database, or its URL without the password
	// Database and Owner are the names of the database on a server and of the user there;
	// empty for a file.
	Database, Owner string
	Runs            []upkeep.BackupRun
}

// Nodes reports whether the backups are on the disks of several nodes.
func (b BackupState) Nodes() bool {
	return slices.ContainsFunc(b.Runs, func(run upkeep.BackupRun) bool { return run.Node != b.Runs[0].Node })
}

// Running reports whether a backup is being made.
func (b BackupState) Running() bool { return len(b.Runs) > 0 && !b.Runs[0].Ended.Known() }
