package upkeep

import (
	"context"
	"fmt"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/records"
)

// checkRollups is the name of the check whose faults can be repaired from the records.
const checkRollups = "roll-ups"

// checkSchema is the name of the check that only files have.
const checkSchema = "schema"

// Verify checks the whole database, in one state of it, and yields its findings one by one.
// It changes nothing and blocks no writer. The anchors of the audit log, which are kept outside the
// database, were read before. If the file itself is damaged, the other checks
// are skipped, because their results would be meaningless. Its memory grows with the
// busiest day and the number of invitees, not with the number of rows.
func Verify(ctx context.Context, s *store.Store, anchors ...audit.Anchor) iter.Seq2[store.VerifyResult, error] {
	return func(yield func(store.VerifyResult, error) bool) {
		r, err := s.Read(ctx)
		if err != nil {
			yield(store.VerifyResult{}, err)
			return
		}
		defer r.Close()
		goOn, err := verifyFile(ctx, s, r, yield)
		if err == nil && goOn {
			err = verifyContent(ctx, r, s.AuditKey(), anchors, yield)
		}
		if err != nil {
			yield(store.VerifyResult{}, fmt.Errorf("verifying the database: %w", err))
		}
	}
}

// verifyFile makes the engine check its own structures.
func verifyFile(ctx context.Context, s *store.Store, r *store.Tx, yield func(store.VerifyResult, error) bool) (goOn bool, err error) {
	for _, check := range []struct {
		store.VerifyResult
		decides bool // whether a fault ends the verification
		find    func(context.Context, *store.Tx) ([]string, error)
	}{
		{store.VerifyResult{Check: "integrity", Seen: r.Examined(), Remedy: "restore the newest sound backup; the disk may be failing"}, true, brokenPages},
		{store.VerifyResult{Check: checkSchema, Seen: "every table, index and trigger", Remedy: "restore the newest sound backup; somebody else has changed the database, so check who can write its file"}, false, foreignObjects},
		{store.VerifyResult{Check: "references", Seen: "every table", Remedy: "restore the newest sound backup"}, false, orphans},
	} {
		if check.Check == checkSchema && store.IsURL(s.Path()) {
			continue // what a server has beside our tables is its owner's matter
		}
		faults, err := check.find(ctx, r)
		if err != nil {
			return false, err
		}
		for _, fault := range faults {
			check.Fault("%s", fault)
		}
		if !yield(check.VerifyResult, nil) || check.decides && !check.Sound() {
			return false, nil
		}
	}
	return true, nil
}

// verifyContent checks the tables against each other.
func verifyContent(ctx context.Context, r *store.Tx, auditKey []byte, anchors []audit.Anchor, yield func(store.VerifyResult, error) bool) error {
	v := verification{
		rollups:  store.VerifyResult{Check: checkRollups, Remedy: "the records are what counts: make the roll-ups anew from them with webapp verify --rebuild"},
		coverage: store.VerifyResult{Check: "coverage", Remedy: "collect the days again with webapp collect --since DAY"},
		stamps:   store.VerifyResult{Check: "stamps", Remedy: "states of the past (as_of) cannot be believed; restore the newest sound backup"},
		invitees: store.VerifyResult{Check: "invitees", Remedy: "collect them again with webapp collect --stream invitees --since DAY; states of the past (as_of) of those named cannot be believed; or restore the newest sound backup"},
		rates:    store.VerifyResult{Check: "rates", Remedy: "converted totals cannot be believed; restore the newest sound backup"},
		amounts:  store.VerifyResult{Check: "amounts", Remedy: "restore the newest sound backup, or collect the day again with webapp collect --since DAY"},
	}
	v.people = store.VerifyResult{Check: "people", Remedy: "what is kept of those named, and codes of ours in states of the past (as_of), cannot be believed; restore the newest sound backup"}
	v.answers = store.VerifyResult{Check: "answers", Remedy: "what the exchange answered cannot be shown for the slices named; restore the newest sound backup"}
	err := r.QueryRowContext(ctx, `SELECT zone, last_write_ms FROM meta WHERE id = 1`).Scan(&v.zoneName, &v.lastWrite)
	if err != nil {
		return err
	}
	if v.zone, err = time.LoadLocation(v.zoneName); err != nil {
		v.rollups.Fault("they are in the zone %q, which nobody knows", v.zoneName)
		v.zone = nil
	}
	for _, check := range []func(context.Context, *store.Tx) error{
		v.readCoverage, v.readRollupDays, v.readHourDays, v.readRows, v.leftRollups, v.leftHours, v.readSubAffiliates, v.readBills, v.readTransfers, v.readInvitees, v.readInviteeChanges, v.readPeople, v.readRates, v.readStamps, v.readBounds, v.readAnswers,
	} {
		if err := check(ctx, r); err != nil {
			return err
		}
	}
	log, err := audit.VerifyState(ctx, r, auditKey, anchors...)
	if err != nil {
		return err
	}
	rights, err := verifyRights(ctx, r)
	if err != nil {
		return err
	}
	signed, err := identity.VerifySigned(ctx, r, auditKey)
	if err != nil {
		return err
	}
	v.rollups.Seen = fmt.Sprintf("%d days in %s", v.days, v.zoneName)
	v.coverage.Seen = fmt.Sprintf("%d days of streams", len(v.covered))
	v.stamps.Seen = fmt.Sprintf("none after %s", v.lastWrite)
	v.invitees.Seen = fmt.Sprintf("%d invitees and %d changes of them", len(v.listed), v.changes)
	v.rates.Seen = fmt.Sprintf("%d samples of prices and %d imported prices", v.samples, v.importedPrices)
	v.amounts.Seen = fmt.Sprintf("%d commission records, %d sub-affiliate days, %d bills and %d transfers, closed ones included", v.records, v.subDays, v.bills, v.transfers)
	for _, finding := range []store.VerifyResult{v.rollups, v.coverage, v.invitees, v.people, v.stamps, v.rates, v.amounts, v.answers, log, rights, signed} {
		if !yield(finding, nil) {
			return nil
		}
	}
	return nil
}

// verification is the state of a check of all tables.
type verification struct {
	rollups, coverage, invitees, people, stamps, rates, amounts, answers store.VerifyResult

	zone      *time.Location // of the roll-ups; nil if unknown
	zoneName  string
	lastWrite affiliate.Millis
	names     map[int64]affiliate.Account
	covered   map[coveredDay]affiliate.Millis // through
	// together has the accounts whose commissions of all products are one stream. Their exchange states
	// them by day, or by what was added between two readings, and lists them before the time up to which
	// all are known: coverage says nothing of one of them.
	together map[int64]bool
	stored   map[string]bool // days of roll-ups that are not yet compared
	blocks   blockChecks
	hours    hourChecks

	listed           map[inviteeID]records.StoredInvitee
	changes          int64
	samples          int64 // of rates
	importedPrices   int64
	records, subDays int64
	bills, transfers int64
	days             int // of roll-ups, compared
}

type coveredDay struct {
	account int64
	stream  affiliate.Stream
	day     affiliate.Day
}

// readStamps looks for impossible stamps in the tables that are not read row by row.
func (v *verification) readStamps(ctx context.Context, r *store.Tx) error {
	for _, table := range []struct{ name, what, stamps string }{
		{"invitees", "invitee '||uid||' first seen", "first_seen_ms"},
		{"invitees", "invitee '||uid||' last seen", "last_seen_ms"},
		{"invitees", "invitee '||uid||' vanished", "vanished_ms"},
		{"invitee_changes", "change '||id||' of invitee '||uid||' seen", "seen_ms"},
		{"people", "person '||uid||' changed", "changed_ms"},
		{"people_changes", "change '||id||' of person '||uid||' stored", "seen_ms"},
		{"imported_prices", "imported price of '||coin||' on '||day||' stored", "created_ms"},
		{"imported_prices", "imported price of '||coin||' on '||day||' removed", "removed_ms"},
		{"people_imports", "import '||id||' stored", "imported_ms"},
		{"people_imports", "import '||id||' undone", "undone_ms"},
		{"coverage", "'||trim(stream||' '||product)||' of '||day||' first read", "first_read_ms"},
		{"coverage", "'||trim(stream||' '||product)||' of '||day||' last read", "read_ms"},
		{"coverage", "'||trim(stream||' '||product)||' of '||day||' failed", "failed_ms"},
		{"runs", "run '||id||' started", "started_ms"},
		{"runs", "run '||id||' finished", "finished_ms"},
		{"slices", "slice '||id||' of run '||run_id||' ended", "ended_ms"},
	} {
		rows, err := r.QueryContext(ctx, `SELECT '`+table.what+`', `+table.stamps+` FROM `+table.name+` WHERE `+table.stamps+` > ?`, v.lastWrite)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var what string
			var stamp affiliate.Millis
			if err := rows.Scan(&what, &stamp); err != nil {
				return err
			}
			v.stamps.Fault("%s at %s, after the last write at %s", what, stamp, v.lastWrite)
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// checkStamps checks when a row was opened and closed; 0 means not closed.
func (v *verification) checkStamps(what func() string, opened, closed affiliate.Millis) {
	if closed.Known() && closed < opened {
		v.stamps.Fault("%s was closed at %s, before it was opened at %s", what(), closed, opened)
	}
	if last := max(opened, closed); last > v.lastWrite {
		v.stamps.Fault("%s has the stamp %s, after the last write at %s", what(), last, v.lastWrite)
	}
}

// checkAmount checks that an amount is either unknown or a plain decimal.
func (v *verification) checkAmount(what func() string, column string, n affiliate.Number) {
	if !n.Known() {
		return
	}
	if plain, err := affiliate.ParseNumber(string(n)); err != nil || plain != n {
		v.amounts.Fault("%s has the %s %.40q, which is no plain decimal", what(), column, n)
	}
}
