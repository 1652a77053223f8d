// Package health checks a running server for /readyz.
package health

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

const (
	// staleAfter is the age of the last collection at which a server is not ready: with a
	// whole day missing, yesterday's figures, which users need most, are wrong.
	staleAfter = 24 * time.Hour
	// backupLate is the age at which the last good backup is reported as late: one backup a
	// day is made, and one may fail.
	backupLate = 49 * time.Hour
	// backupsLooked is the number of backups searched for a good one.
	backupsLooked = 10
)

const (
	// ClockLimit is how far the clocks of a node and of the database server may be apart.
	ClockLimit = 5 * time.Second
	// A standby that is further behind than these would lose much if it took over now.
	standbyBytes = 1 << 30
	standbyLag   = 5 * time.Minute
)

// FarBehind reports whether a standby is so far behind that an operator should look at it.
func FarBehind(s store.StandbyServer) bool {
	return s.Bytes != nil && *s.Bytes > standbyBytes || s.Lag != nil && *s.Lag > standbyLag
}

// Health runs the checks of /readyz.
type Health struct {
	store    *store.Store
	db       config.Database
	node     string                     // empty: none is set, and the name of the host is not shown
	accounts func() []affiliate.Account // in use
	every    time.Duration              // from one collection to the next
	backups  bool                       // daily backups are configured
	mail     bool                       // the settings have a mail server
	began    time.Time                  // when the server started
	now      func() time.Time
}

// New returns the checks of a server that starts now.
func New(cfg config.Config, st *store.Store, accounts func() []affiliate.Account) Health {
	return Health{
		store: st, db: cfg.DB, node: cfg.Node, accounts: accounts, every: cfg.CollectEvery, backups: cfg.Backups.Keep > 0, mail: cfg.Mail.Server.Host != "",
		began: cfg.Clock(), now: cfg.Clock,
	}
}

// Checks runs all checks, most serious first, and tells about the database. The texts
// contain no names or figures, because reading them needs no sign-in.
func (h Health) Checks(ctx context.Context) ([]web.HealthCheck, handler.HealthFacts) {
	answers, schema := h.database(ctx)
	checks := []web.HealthCheck{answers, schema, h.disk(), h.collection(ctx)}
	facts, err := h.facts(ctx)
	if err == nil {
		checks = append(checks, servers(facts.Engine)...)
	}
	if h.backups {
		checks = append(checks, h.backup(ctx))
	}
	if mailing, used := h.mailing(ctx); used {
		checks = append(checks, mailing)
	}
	return checks, facts
}

// facts reads what is known about the database. Without an answer there are none.
func (h Health) facts(ctx context.Context) (f handler.HealthFacts, err error) {
	f.Node = h.node
	if f.Engine, err = h.store.EngineState(ctx); err != nil {
		return handler.HealthFacts{Node: h.node}, err
	}
	if f.Schema, err = h.store.Schema(ctx); err != nil {
		return handler.HealthFacts{Node: h.node}, err
	}
	if f.Leases, err = h.store.Holders(ctx); err != nil {
		return handler.HealthFacts{Node: h.node}, err
	}
	for i := range f.Leases {
		switch lease := &f.Leases[i]; {
		case h.node != "":
		case lease.Node == h.store.Node():
			lease.Node = "this node"
		default:
			lease.Node = "another node"
		}
	}
	return f, nil
}

// servers checks the servers of the database. Pages do not need them to be perfect.
func servers(e store.EngineState) (checks []web.HealthCheck) {
	if e.Engine != store.SQLite {
		clock := web.HealthCheck{Name: "database clock"}
		if e.ClockAhead.Abs() > ClockLimit {
			clock.Fault = "differs from that of this node by seconds; set both by NTP"
		}
		checks = append(checks, clock)
	}
	if len(e.Standbys) > 0 {
		standbys := web.HealthCheck{Name: "standbys"}
		if slices.ContainsFunc(e.Standbys, FarBehind) {
			standbys.Fault = "are far behind; see webapp doctor"
		}
		checks = append(checks, standbys)
	}
	if all := len(e.Workers); all > 0 {
		workers := web.HealthCheck{Name: "workers"}
		if reached := e.ReachableWorkers(); reached < all {
			workers.Fault = fmt.Sprintf("%d of %d cannot be reached; lists and exports of records fail; see webapp doctor", all-reached, all)
		}
		checks = append(checks, workers)
	}
	return checks
}

// database checks that the store answers and has this program's schema. A newer
// program may have migrated it.
func (h Health) database(ctx context.Context) (answers, schema web.HealthCheck) {
	answers, schema = web.HealthCheck{Name: "database", Fatal: true}, web.HealthCheck{Name: "schema", Fatal: true}
	if err := h.store.Ping(ctx); err != nil {
		answers.Fault = "does not answer"
	}
	switch version, err := h.store.Schema(ctx); {
	case err != nil:
		schema.Fault = "cannot be read"
	case version != store.KnownSchema():
		schema.Fault = "is not the one of this program; start the program that is newest"
	}
	return answers, schema
}

// disk checks the disk of the working folder, which has the database if it is a file.
func (h Health) disk() web.HealthCheck {
	check := web.HealthCheck{Name: "disk space"}
	free, known, err := files.FreeSpace(filepath.Dir(h.db.Beside("")))
	switch {
	case err != nil:
		check.Fault = "cannot be read"
	case known && free < files.FullBelow && h.db.Remote():
		check.Fault = "of this node is used up; backups cannot be made" // the database has its own
	case known && free < files.FullBelow:
		check.Fault, check.Fatal = "is used up; nothing can be written", true
	case known && free < files.TightBelow:
		check.Fault = "is nearly used up"
	}
	return check
}

// collection checks that every account was collected recently. For an account that was
// never collected, the age counts from the start of the server.
func (h Health) collection(ctx context.Context) web.HealthCheck {
	check := web.HealthCheck{Name: "last collection", Fatal: true}
	last, err := h.lastSuccesses(ctx)
	if err != nil {
		check.Fault = "cannot be read"
		return check
	}
	for _, account := range h.accounts() {
		at := h.began
		if last[account].Known() {
			at = last[account].Time()
		}
		if h.now().Sub(at) > max(staleAfter, 2*h.every) {
			check.Fault = "is more than a day ago; see the page of the collection, or the log"
		}
	}
	return check
}

// backup checks that a recent backup exists whose restore drill passed. Pages do not need
// it, so a server without one is ready.
func (h Health) backup(ctx context.Context) web.HealthCheck {
	check := web.HealthCheck{Name: "last backup"}
	reader, err := h.store.Read(ctx)
	if err != nil {
		check.Fault = "cannot be read"
		return check
	}
	defer reader.Close()
	made, err := upkeep.BackupRuns(ctx, reader, backupsLooked)
	if err != nil {
		check.Fault = "cannot be read"
		return check
	}
	good := h.began
	for _, b := range made {
		if b.Good() {
			good = b.Started.Time()
			break
		}
	}
	if h.now().Sub(good) > backupLate {
		check.Fault = "that restores is more than two days ago; see the page of backups, or the log"
	}
	return check
}

func (h Health) lastSuccesses(ctx context.Context) (map[affiliate.Account]affiliate.Millis, error) {
	reader, err := h.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return upkeep.LastSuccesses(ctx, reader)
}
