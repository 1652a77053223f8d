package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"strings"
	"time"

	"rebatedesk/reports/changes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/reports/worklist"

	"rebatedesk/affiliate"
	"rebatedesk/delivery/carrier"
	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// waits reports whether a delivery waits until its period is collected. Changes are about what
// became known, and the others about the present.
func waits(d outbox.Delivery) bool {
	switch d.Kind {
	case PeopleKind, changes.File.Name, worklist.File.Name:
		return false
	}
	return true
}

// settledStreams are the streams whose last records the exchange lists late, by the kind of
// export that has them.
var settledStreams = map[string]affiliate.StreamKind{
	commissions.File.Name: affiliate.Commissions, commissions.DailyFile.Name: affiliate.Commissions, rates.File.Name: affiliate.Commissions,
	invitees.File.Name: affiliate.Invitees, subaffiliates.File.Name: affiliate.SubAffiliates,
}

// covered reports whether a period is collected completely, as far as the exchange lists records
// late.
func (s *Service) covered(ctx context.Context, d outbox.Delivery, days affiliate.Days) (complete bool, err error) {
	now, err := s.present(ctx)
	if err != nil {
		return false, err
	}
	file, err := s.open(ctx, d, outbox.File{Days: days, AsOf: now})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if !wholeRange(d, days, file, now, s.store.Zone()) {
		return false, nil
	}
	stream, late := settledStreams[file.Kind.Name]
	if !late || d.Content != OfPeriod {
		return true, nil
	}
	settled, err := s.reports.Settled(ctx, file.Query, stream)
	return settled.Complete(), err
}

// wholeRange reports whether a state has the whole range of a file: its days are over, and
// collected.
func wholeRange(d outbox.Delivery, days affiliate.Days, file *reports.Export, at affiliate.Millis, zone *time.Location) bool {
	if waits(d) && at.Time().Before(times(d, zone).Over(dispatch.Period{Every: lengths[d.Every], Days: days})) {
		return false
	}
	return file.Coverage.Complete()
}

// present returns the newest state that no later write changes: every later write has a later
// stamp than the newest one, and than the millisecond that has ended.
func (s *Service) present(ctx context.Context) (affiliate.Millis, error) {
	stamp, err := store.Reading(ctx, s.store, func(r *store.Tx) (affiliate.Millis, error) { return r.LastWrite(ctx) })
	return max(stamp, affiliate.MillisOf(s.now())-1), err
}

// pin chooses the state of a file and stores it, before anything of it is sent. A state that
// an earlier try chose is kept, unless it lacked a part of its range that is there now.
func (s *Service) pin(ctx context.Context, d outbox.Delivery, taken *outbox.File) (err error) {
	if taken.AsOf.Known() && (taken.Complete || !waits(d)) {
		return nil
	}
	next := *taken
	if next.AsOf, err = s.present(ctx); err != nil {
		return err
	}
	switch {
	case d.Content == Incremental:
		if next.Since, err = s.lastState(ctx, d); err != nil {
			return err
		}
		if next.Since >= next.AsOf {
			next.Since = next.AsOf - 1 // a clock was set back: nothing became known since
		}
	case d.Kind == changes.File.Name:
		span := next.Days.Range(s.store.Zone())
		next.Since, next.AsOf = affiliate.MillisOf(span.From)-1, affiliate.MillisOf(span.To)-1
	}
	if d.Kind == PeopleKind {
		next.Complete = true
	} else {
		file, err := s.open(ctx, d, next)
		if err != nil {
			return err
		}
		next.Complete = wholeRange(d, next.Days, file, next.AsOf, s.store.Zone())
		if err := file.Close(); err != nil {
			return err
		}
	}
	if taken.AsOf.Known() && !next.Complete {
		return nil // the file of the earlier try is as good
	}
	*taken = next
	return outbox.PinFile(ctx, s.store, next)
}

// lastState returns the end of the last delivery of changes, or when the delivery was made.
func (s *Service) lastState(ctx context.Context, d outbox.Delivery) (affiliate.Millis, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (affiliate.Millis, error) {
		last, found, err := outbox.LastDelivered(ctx, r, d.ID)
		if !found {
			return d.Created, err
		}
		return last.AsOf, err
	})
}

// open opens the export of a file in its state, as webapp export with the same range and
// state.
func (s *Service) open(ctx context.Context, d outbox.Delivery, one outbox.File) (*reports.Export, error) {
	basis, err := s.reports.Basis(ctx)
	if err != nil {
		return nil, err
	}
	basis.Sorts, basis.Order = commissions.Sorts, query.Sort{Field: "time"}
	values, err := url.ParseQuery(d.Filters)
	if err != nil {
		return nil, fmt.Errorf("the filters: %w", err)
	}
	between := d.Kind == changes.File.Name
	switch {
	case between || d.Kind == worklist.File.Name:
		values.Set("range", string(query.AllTime))
	case d.Content == Whole:
		values.Set("from", min(basis.First, one.Days.Last).String())
		values.Set("to", one.Days.Last.String())
	default:
		values.Set("from", one.Days.First.String())
		values.Set("to", one.Days.Last.String())
	}
	asked, err := query.Parse(values, basis)
	if err != nil {
		return nil, err
	}
	if between {
		asked.Since, asked.Until = one.Since.Time().UTC(), one.AsOf.Time().UTC()
	} else {
		asked.AsOf = one.AsOf.Time().UTC()
	}
	if asked.Names, err = reports.NamesFor(ctx, s.reports, true); err != nil {
		return nil, err
	}
	kind, err := reports.ExportNamed(d.Kind)
	if err != nil {
		return nil, err
	}
	return s.reports.OpenExport(ctx, kind, asked)
}

// write writes a file and returns its manifest.
func (s *Service) write(ctx context.Context, d outbox.Delivery, taken *outbox.File, w io.Writer) (m reports.ExportManifest, err error) {
	if err := s.pin(ctx, d, taken); err != nil {
		return m, err
	}
	sum := &checksum{Hash: sha256.New()}
	into, format := io.MultiWriter(w, sum), export.Format(d.Format)
	if d.Kind == PeopleKind {
		return s.writePeople(ctx, taken, into, sum, format)
	}
	file, err := s.open(ctx, d, *taken)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tally, err := file.Write(ctx, into, format)
	if err != nil {
		return m, err
	}
	m = reports.ManifestOf(file, format, tally, sum.bytes, hex.EncodeToString(sum.Sum(nil)))
	m.Complete = taken.Complete
	sums, err := json.Marshal(tally.Sums)
	facts(taken, m, sums)
	first, last := s.named(d, *taken, file)
	taken.File = file.FileNameOf(first, last, format, taken.Complete)
	return m, err
}

// named returns the beginning and the end that the name of a file has: the days of its range,
// the instants of changes since the last delivery, or the day of a state without a range.
func (s *Service) named(d outbox.Delivery, one outbox.File, file *reports.Export) (first, last string) {
	switch {
	case d.Content == Incremental:
		const form = "20060102T150405.000Z"
		return one.Since.Time().UTC().Format(form), one.AsOf.Time().UTC().Format(form)
	case d.Kind == worklist.File.Name:
		day := affiliate.DayOf(one.AsOf.Time(), s.store.Zone()).String()
		return day, day
	case d.Kind == changes.File.Name:
		return one.Days.First.String(), one.Days.Last.String()
	}
	return file.Query.Days.First.String(), file.Query.Days.Last.String()
}

// writePeople writes the people file. It has no earlier states.
func (s *Service) writePeople(ctx context.Context, taken *outbox.File, into io.Writer, sum *checksum, format export.Format) (m reports.ExportManifest, err error) {
	rows, err := reports.PeopleOf(s.reports).WriteFile(ctx, into, format)
	if err != nil {
		return m, err
	}
	zone := s.store.Zone()
	day := affiliate.DayOf(taken.AsOf.Time(), zone).String()
	m = reports.ExportManifest{Format: format, Rows: rows, Sums: []export.SumsByCoin{}, Bytes: sum.bytes, SHA256: hex.EncodeToString(sum.Sum(nil)),
		Metadata: export.Metadata{Kind: PeopleKind, From: day, To: day, Timezone: zone.String(), Complete: true, Written: s.now().UTC().Format(time.RFC3339)}}
	facts(taken, m, nil)
	taken.File = fmt.Sprintf("%s_%s.%s", PeopleKind, day, format)
	return m, nil
}

// checksum counts and hashes the bytes written to it.
type checksum struct {
	hash.Hash
	bytes int64
}

func (c *checksum) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Hash.Write(p)
}

// checkPlace refuses a folder that the settings do not allow, and a destination at which another
// delivery writes files of the same names.
func (s *Service) checkPlace(ctx context.Context, d outbox.Delivery) error {
	if err := s.allowed(ctx, d); err != nil {
		return err
	}
	list, err := s.Deliveries(ctx)
	if err != nil {
		return err
	}
	for _, other := range list {
		if other.ID != d.ID && other.To == d.To && other.Kind == d.Kind && other.Format == d.Format && sameNames(other, d) {
			return &store.RuleError{Problem: fmt.Sprintf("The delivery “%s” writes files of the same names there: choose another folder.", other.Name), Field: "to"}
		}
	}
	return nil
}

// sameNames reports whether files of two deliveries of the same kind can have the same name,
// which has the account and the UID of the filters.
func sameNames(a, b outbox.Delivery) bool {
	one, err := url.ParseQuery(a.Filters)
	other, err2 := url.ParseQuery(b.Filters)
	if err != nil || err2 != nil {
		return true
	}
	return one.Get("account") == other.Get("account") && one.Get("uid") == other.Get("uid") && (a.Content == b.Content || a.Every == b.Every)
}

// allowed refuses a folder outside those of the settings, and a server that no connection is made to.
func (s *Service) allowed(ctx context.Context, d outbox.Delivery) error {
	to, err := carrier.ParseDestination(d.To)
	if err != nil {
		return err
	}
	if to.Scheme == carrier.FileScheme && len(s.settings.Folders) > 0 && !to.Within(s.settings.Folders) {
		return &store.RuleError{Problem: fmt.Sprintf("This folder is not below %s: choose one that is, or add it to DELIVERY_FOLDERS.", strings.Join(s.settings.Folders, " or ")), Field: "to"}
	}
	if err := carrier.Reachable(ctx, to, s.settings); err != nil {
		return &store.RuleError{Problem: phrase.Sentence(err.Error()), Field: "to"}
	}
	return nil
}
