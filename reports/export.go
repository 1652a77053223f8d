package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// ExportKind is one of the tables that can be taken out whole.
type ExportKind string

// The kinds, by the names of the command line.
const (
	ExportCommissions   ExportKind = "commissions"
	ExportInvitees      ExportKind = "invitees"
	ExportSubAffiliates ExportKind = "sub-affiliates"
	ExportDaily         ExportKind = "daily"
)

// ExportKinds lists the kinds.
func ExportKinds() []ExportKind {
	return []ExportKind{ExportCommissions, ExportInvitees, ExportSubAffiliates, ExportDaily}
}

// stream is the kind of records whose coverage decides whether an export is
// complete.
func (k ExportKind) stream() affiliate.StreamKind {
	switch k {
	case ExportInvitees:
		return affiliate.Invitees
	case ExportSubAffiliates:
		return affiliate.SubAffiliates
	}
	return affiliate.Commissions
}

// Export is a table about to be written: one state of the store, whatever is
// collected meanwhile. The caller closes it.
type Export struct {
	Kind     ExportKind
	Query    Query
	Coverage Coverage
	question *question
}

// ExportSummary says what was written.
type ExportSummary struct {
	Rows   int64
	Totals []Totals // per coin; commissions and daily only
}

// OpenExport reads how far the query is covered and holds the state. A filter
// that records of the kind cannot be narrowed by is a *ParamError.
func (s *Service) OpenExport(ctx context.Context, kind ExportKind, query Query) (*Export, error) {
	if err := kind.accepts(query); err != nil {
		return nil, err
	}
	q, err := s.ask(ctx, query)
	if err != nil {
		return nil, err
	}
	cover, err := q.coverage(ctx, kind.stream(), q.Days)
	if err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return &Export{Kind: kind, Query: query, Coverage: cover.summary(q.Days), question: q}, nil
}

// accepts refuses the filters that would be ignored.
func (k ExportKind) accepts(q Query) error {
	var foreign []string
	switch k {
	case ExportInvitees:
		foreign = []string{"product", "coin", "symbol", "source", "as_of"}
	case ExportSubAffiliates:
		foreign = []string{"coin", "symbol", "source", "code", "q"}
	}
	values := q.Values()
	for _, name := range foreign {
		if values.Has(name) {
			return &ParamError{name, values.Get(name), fmt.Sprintf("does not apply to an export of %s", k)}
		}
	}
	return nil
}

// Close lets go of the state.
func (e *Export) Close() error { return e.question.Close() }

// FileName names the file after its content: kind, days, zone. It begins with
// "incomplete-" when the range is not collected completely.
func (e *Export) FileName(format Format) string {
	name := string(e.Kind)
	if e.Query.Account != "" {
		name += "_" + string(e.Query.Account)
	}
	zone := e.Query.Zone.String()
	name += fmt.Sprintf("_%s_%s_%s.%s", e.Query.Days.First, e.Query.Days.Last, zone, format)
	if !e.Coverage.Complete() {
		name = "incomplete-" + name
	}
	return strings.Map(fileRune, name)
}

func fileRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		return r
	}
	return '-'
}

// Write writes the whole table. Memory does not grow with its length.
func (e *Export) Write(ctx context.Context, w io.Writer, format Format) (ExportSummary, error) {
	switch e.Kind {
	case ExportCommissions:
		order := store.CommissionOrder{Column: e.Query.Sort.Field, Descending: e.Query.Sort.Descending}
		return writeTable(w, format, commissionColumns,
			e.question.Reader.Commissions(ctx, e.Query.filter(), order, 0, 0), addCommission)
	case ExportDaily:
		sums, err := e.question.DaySums(ctx, e.Query.filter())
		if err != nil {
			return ExportSummary{}, err
		}
		return writeTable(w, format, dailyColumns, each(sums), addDay)
	case ExportInvitees:
		return writeTable(w, format, inviteeColumns, e.question.Invitees(ctx, e.inviteeFilter()), nil)
	case ExportSubAffiliates:
		return writeTable(w, format, subAffiliateColumns, e.question.SubAffiliateDays(ctx, e.subAffiliateFilter()), nil)
	}
	return ExportSummary{}, fmt.Errorf("no such export: %q", e.Kind)
}

// inviteeFilter takes the days of the query as days of registration. All time
// takes in those whose registration is not known.
func (e *Export) inviteeFilter() store.InviteeFilter {
	f := e.question.inviteeFilter()
	f.Text = e.Query.Text
	if e.Query.Range != AllTime {
		f.Registered = e.Query.Days.Range(e.Query.Zone)
	}
	return f
}

func (e *Export) subAffiliateFilter() store.SubAffiliateFilter {
	q := e.Query
	return store.SubAffiliateFilter{Days: q.Days, Account: q.Account, Product: q.Product, UID: q.UID, AsOf: q.asOf()}
}

func addCommission(t *totaller, row *store.CommissionRow) {
	t.add(row.Coin, store.Sums{Records: 1, Fee: row.Fee, Commission: row.Commission.Commission,
		TakerAmount: row.TakerAmount, MakerAmount: row.MakerAmount})
}

func addDay(t *totaller, row *store.DaySums) { t.add(row.Coin, row.Sums) }

func each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}
