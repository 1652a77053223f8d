package admin

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/upkeep"
)

// ExchangeAccount is an affiliate account, without its keys.
type ExchangeAccount struct {
	Name            affiliate.Account
	BaseURL         string
	ContractBaseURL string
	APIVersion      string
	Locale          string
	Trades          bool
	Settings        bool             // it is in the settings and can be changed there only
	Hidden          bool             // stored, and not used: one of the settings has its name
	Created         affiliate.Millis // stored accounts only, like what follows
	Rotated         affiliate.Millis // when it was given its keys
	Disabled        affiliate.Millis // unknown: it is in use
	Updated         affiliate.Millis // tells two versions apart
	Problem         string           // why it cannot be used; empty: it can
}

// AccountCheck is one step of the test of an account.
type AccountCheck struct {
	Name   string
	Result CheckResult
	Text   string // what was found; without anything secret
	Hint   string // what helps, where that is known
}

// CheckResult is how a step ended.
type CheckResult string

// The results. A step is left out where one before it failed.
const (
	CheckPassed  CheckResult = "ok"
	CheckFailed  CheckResult = "failed"
	CheckSkipped CheckResult = "skipped"
)

// BackupState is the daily backups.
type BackupState struct {
	Dir  string // absolute
	Keep int    // how many are kept; 0: none are made
	At   string // time of the day, of the reporting zone
	File string // of the database
	Runs []upkeep.BackupRun
}

// Running reports whether a backup is being made.
func (b BackupState) Running() bool { return len(b.Runs) > 0 && !b.Runs[0].Ended.Known() }
