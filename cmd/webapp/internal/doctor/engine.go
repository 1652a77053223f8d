package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/health"
	"rebatedesk/store"
	"rebatedesk/store/received"
)

// engineWithin limits the questions about the engine.
const engineWithin = 10 * time.Second

// engine tells which engine keeps the database, and how the servers around it are.
func (d *Doctor) engine(ctx context.Context) (found []Result) {
	if !d.opens {
		return nil // the check of the database said why
	}
	const check = "engine"
	cfg, _ := d.parts.config(config.NeedStore)
	ctx, cancel := context.WithTimeout(ctx, engineWithin)
	defer cancel()
	st, err := store.OpenForInspection(ctx, cfg.DB.Reveal())
	if err != nil {
		return []Result{failed(check, err.Error(), store.Hint(err))}
	}
	defer func() {
		if err := st.Close(); err != nil {
			found = append(found, failed(check, err.Error(), ""))
		}
	}()
	e, err := st.EngineState(ctx)
	if err != nil {
		return []Result{failed(check, err.Error(), store.Hint(err))}
	}
	found = append(found, engineFound(check, e))
	if d.current {
		found = append(found, answersKept(ctx, st))
	}
	if !cfg.DB.Remote() {
		return found
	}
	found = append(found, databaseClock(e), standbysFound(e))
	if e.Citus != "" {
		found = append(found, workersFound(e))
	}
	if d.current {
		found = append(found, leasesFound(ctx, st))
	}
	return found
}

// answersKept tells how many answers of the exchange the database keeps.
func answersKept(ctx context.Context, st *store.Store) Result {
	const check = "answers"
	r, err := st.Read(ctx)
	if err != nil {
		return failed(check, err.Error(), store.Hint(err))
	}
	defer r.Close()
	stock, err := received.ReadStock(ctx, r)
	switch {
	case err != nil:
		return failed(check, err.Error(), store.Hint(err))
	case stock.Slices == 0:
		return passed(check, "%d fingerprints of the exchange's answers; the answers themselves are not kept (REBATEDESK_KEEP_ANSWERS)", stock.Fingerprints)
	}
	return passed(check, "%d fingerprints of the exchange's answers; those of %d slices are kept, %d KiB, the oldest of %s",
		stock.Fingerprints, stock.Slices, stock.Bytes>>10, stock.Oldest.Time().Format(time.DateOnly))
}

func engineFound(check string, e store.EngineState) Result {
	text := e.Engine + " " + e.Version
	if e.Citus != "" {
		text += ", Citus " + e.Citus
	}
	if len(e.Nodes) > 1 {
		text += "; connected: " + strings.Join(e.Nodes, ", ")
	}
	if e.ReadOnly {
		return failed(check, text+"; it is a standby or read-only, so nothing can be written", "name the primary in REBATEDESK_DB, or several hosts with ?target_session_attrs=read-write")
	}
	return passed(check, "%s", text)
}

func databaseClock(e store.EngineState) Result {
	const check = "database clock"
	if e.ClockAhead.Abs() > health.ClockLimit {
		return failed(check, "this machine and the database server are "+e.ClockAhead.Abs().String()+" apart",
			"set the clocks of both by NTP: leases end by the clock of the server, records are stamped by that of the node")
	}
	return passed(check, "%s apart", e.ClockAhead.Abs())
}

func standbysFound(e store.EngineState) Result {
	const check = "standbys"
	if len(e.Standbys) == 0 {
		return skipped(check, "none follows this server")
	}
	var words []string
	var late, hidden bool
	for _, s := range e.Standbys {
		text := s.Name + " is behind by "
		switch {
		case s.Bytes == nil:
			text, hidden = s.Name+" follows, its distance is not shown", true
		case s.Lag == nil:
			text += fmt.Sprintf("%d bytes", *s.Bytes)
		default:
			text += fmt.Sprintf("%d bytes and %s", *s.Bytes, s.Lag)
		}
		words = append(words, text)
		late = late || health.FarBehind(s)
	}
	text := strings.Join(words, "; ")
	switch {
	case late:
		return warned(check, text, "look at the network to it and at its log: what a standby does not have is lost if it takes over")
	case hidden:
		return warned(check, text, "let the user see it: GRANT pg_monitor TO its name")
	}
	return passed(check, "%s", text)
}

func workersFound(e store.EngineState) Result {
	const check = "workers"
	var away []string
	for _, w := range e.Workers {
		if !w.Reachable {
			away = append(away, w.Name)
		}
	}
	switch {
	case len(e.Workers) == 0:
		return warned(check, "the coordinator has none", "add them with citus_add_node, see docs/operations.md")
	case len(away) > 0:
		return failed(check, fmt.Sprintf("the coordinator cannot reach %s of %d", strings.Join(away, ", "), len(e.Workers)),
			"start it, or let its standby take its place: lists, exports and the collection need every worker")
	}
	return passed(check, "the coordinator reaches all %d", len(e.Workers))
}

// leasesFound tells who does the work that one node at a time does.
func leasesFound(ctx context.Context, st *store.Store) Result {
	const check = "leases"
	holders, err := st.Holders(ctx)
	switch {
	case err != nil:
		return failed(check, err.Error(), store.Hint(err))
	case len(holders) == 0:
		return skipped(check, "nobody holds one: no node serves this database at present")
	}
	var words []string
	for _, h := range holders {
		words = append(words, fmt.Sprintf("%s by %s for %s (number %d, ends in %s unless renewed)",
			h.Lease, h.Node, h.Age.Round(time.Second), h.Number, h.Left.Round(time.Second)))
	}
	return passed(check, "%s", strings.Join(words, "; "))
}

// unreachable is the advice about a database that does not answer.
func unreachable(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the server does not answer: check that it runs, the host and port in REBATEDESK_DB, and the firewalls between"
	}
	return store.Hint(err)
}
