package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// AuditFile is the name of files of the audit log.
const AuditFile = "audit"

// AuditChecked is the action of the log line that reports a check of the log itself.
const AuditChecked = "audit log checked"

// AuditQuery is a query of the audit log. Empty fields do not restrict it.
type AuditQuery struct {
	From, To affiliate.Day // in the reporting zone, both included; 0 means open
	Actor    string
	Action   string
	Text     string // part of any text of a line
	Before   int64  // only lines with a smaller number; 0 starts at the newest
}

// Narrows reports whether any field except the line number can leave lines out.
func (q AuditQuery) Narrows() bool {
	q.Before = 0
	return q != AuditQuery{}
}

// Values returns the query as in a query string.
func (q AuditQuery) Values() url.Values {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("from", dayText(q.From))
	set("to", dayText(q.To))
	set("actor", q.Actor)
	set("action", q.Action)
	set("q", q.Text)
	if q.Before > 0 {
		values.Set("before", fmt.Sprint(q.Before))
	}
	return values
}

func dayText(d affiliate.Day) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func (q AuditQuery) stored(zone *time.Location) audit.LogQuery {
	asked := audit.LogQuery{Actor: q.Actor, Action: q.Action, Text: q.Text, Before: q.Before}
	if q.From != 0 {
		asked.From = affiliate.MillisOf(q.From.Start(zone))
	}
	if q.To != 0 {
		asked.To = affiliate.MillisOf((q.To + 1).Start(zone))
	}
	return asked
}

// AuditReport is a part of the audit log, newest first.
type AuditReport struct {
	audit.LogPage
	Actors  []string // actors by which it can be filtered
	Actions []string
	Checked audit.Line // the line of the last check of the log; zero: no check yet
	Zone    *time.Location
}

// Audit reads a part of the audit log. Its cost does not grow with the log.
func (s *Service) Audit(ctx context.Context, q AuditQuery) (report AuditReport, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return report, err
	}
	defer r.Close()
	report.Zone = s.store.Zone()
	checked, err := audit.ReadPage(ctx, r, audit.LogQuery{Action: AuditChecked, Limit: 1})
	if err != nil {
		return report, err
	}
	if len(checked.Lines) > 0 {
		report.Checked = checked.Lines[0]
	}
	if report.Actors, err = audit.Actors(ctx, r); err != nil {
		return report, err
	}
	if report.Actions, err = audit.Actions(ctx, r); err != nil {
		return report, err
	}
	report.LogPage, err = audit.ReadPage(ctx, r, q.stored(report.Zone))
	return report, err
}

// VerifyAudit proves the audit log line by line, and that it contains the anchors.
func (s *Service) VerifyAudit(ctx context.Context, anchors ...audit.Anchor) (store.VerifyResult, error) {
	return audit.VerifyChain(ctx, s.store, anchors...)
}

// AuditExport is the audit log ready to be written from one state. The caller closes it.
type AuditExport struct {
	query  AuditQuery
	reader *store.Tx
	zone   *time.Location
	opened time.Time
}

// OpenAuditExport opens a state of the log.
func (s *Service) OpenAuditExport(ctx context.Context, q AuditQuery) (*AuditExport, error) {
	if q.Before != 0 {
		return nil, errors.New("a page of the audit log is no export")
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	return &AuditExport{query: q, reader: r, zone: s.store.Zone(), opened: s.now()}, nil
}

// Close releases the state.
func (e *AuditExport) Close() error { return e.reader.Close() }

// auditColumns are the columns of the audit log.
var auditColumns = []export.Column[audit.Line]{
	export.IntegerColumn("line", func(a *audit.Line) int64 { return a.ID }),
	export.TimeColumn("time_utc", func(a *audit.Line) affiliate.Millis { return a.At }),
	export.TextColumn("actor", func(a *audit.Line) string { return a.Actor }),
	export.TextColumn("via", func(a *audit.Line) string { return a.Via }),
	export.TextColumn("address", func(a *audit.Line) string { return a.Address }),
	export.TextColumn("action", func(a *audit.Line) string { return a.Action }),
	export.TextColumn("object", func(a *audit.Line) string { return a.Object }),
	export.TextColumn("detail", func(a *audit.Line) string { return a.Detail }),
	export.TextColumn("outcome", func(a *audit.Line) string { return a.Outcome }),
}

// Write writes all lines of the query, oldest first as in the log.
func (e *AuditExport) Write(ctx context.Context, w io.Writer, format export.Format) (export.RowTally, error) {
	from, to := e.query.From, e.query.To
	filters := e.query.Values()
	filters.Del("from")
	filters.Del("to")
	facts := export.Metadata{Kind: AuditFile, From: dayText(from), To: dayText(to), Timezone: e.zone.String(),
		Filters: filters.Encode(), Complete: true, Written: e.opened.UTC().Format(time.RFC3339)}
	return export.Encode(w, format, export.TableOf(auditColumns, audit.Lines(ctx, e.reader, e.query.stored(e.zone))), facts)
}

// FileName returns a file name after the days.
func (e *AuditExport) FileName(format export.Format) string {
	name := AuditFile
	for _, day := range []affiliate.Day{e.query.From, e.query.To} {
		if day != 0 {
			name += "_" + day.String()
		}
	}
	return strings.Map(fileRune, fmt.Sprintf("%s_%s.%s", name, e.zone, format))
}
