package reports

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
)

// ExportPart names a part of an export. All parts of one list are of the same state, so that
// rows neither move nor repeat while the program collects.
type ExportPart struct {
	Limit int              // most rows
	State affiliate.Millis // stamp of the newest write that the list shows; 0: the present one
	Began time.Time        // when the first part was asked for; zero: now
	After string           // where the part before it ended; empty: this is the first
}

// OpenPart is [Service.OpenExport] for a part of a list. It returns the part with its state and
// its beginning, which the next one needs.
func OpenPart(ctx context.Context, s *Service, kind *export.Kind, asked query.Query, part ExportPart) (*Export, ExportPart, error) {
	if err := kind.Takes(asked); err != nil {
		return nil, part, err
	}
	if kind.Object != nil {
		return nil, part, fmt.Errorf("an export of %s has no parts", kind)
	}
	var err error
	if part.State == 0 {
		if part.State, err = s.store.LastReported(ctx); err != nil {
			return nil, part, err
		}
	}
	if part.Began.IsZero() {
		part.Began = s.now()
	}
	present := asked.AsOf.IsZero()
	state := part.State.Time().UTC()
	switch {
	case kind.Between:
		if asked.Until.IsZero() || asked.Until.After(state) {
			asked.Until = state
		}
	case present || asked.AsOf.After(state):
		asked.AsOf = state
	}
	opened, err := s.ask(ctx, asked)
	if err != nil {
		return nil, part, err
	}
	if present {
		opened.Now = part.Began // what is due does not end with the newest write
	}
	e, err := exportOf(ctx, s, kind, opened)
	return e, part, err
}

// WritePart writes a part of the table as JSON. address returns the address of the next part by
// the place where this one ends. next is that place, empty after the last row.
func (e *Export) WritePart(ctx context.Context, w io.Writer, part ExportPart, address func(place string) string) (tally export.RowTally, next string, err error) {
	t, place, err := e.part(ctx, part)
	if err != nil {
		return tally, "", err
	}
	tally, err = export.EncodePage(w, t, e.Facts(), func() string {
		if next = place(); next == "" {
			return ""
		}
		return address(next)
	})
	return tally, next, err
}

func (e *Export) part(ctx context.Context, part ExportPart) (t export.Table, place func() string, err error) {
	if e.Kind.After != nil {
		t, place, ok, err := e.Kind.After(ctx, e.question, part.After, part.Limit)
		if ok || err != nil {
			return t, place, err
		}
	}
	skip := 0
	if part.After != "" {
		if skip, err = strconv.Atoi(part.After); err != nil || skip < 0 {
			return t, nil, fmt.Errorf("place %q: %w", part.After, export.ErrNoPlace)
		}
	}
	if t, err = e.Kind.Table(ctx, e.question); err != nil {
		return t, nil, err
	}
	t, more := export.SomeRows(t, skip, part.Limit)
	return t, func() string {
		if !*more {
			return ""
		}
		return strconv.Itoa(skip + part.Limit)
	}, nil
}

// State identifies the content of the export in a format: two exports of the same question have
// the same rows and facts if their states are equal. Of most kinds it is found without reading a
// row. Rows of the others change with the time, too: their state is that of their content.
func (e *Export) State(ctx context.Context, format export.Format) (string, error) {
	return e.state(ctx, func(undated *Export, w io.Writer) error {
		if format != export.JSON {
			format = export.JSONL // all formats but JSON have the rows of one table
		}
		_, err := undated.Write(ctx, w, format)
		return err
	})
}

// StateOfPart is [Export.State] of a part.
func (e *Export) StateOfPart(ctx context.Context, part ExportPart) (string, error) {
	return e.state(ctx, func(undated *Export, w io.Writer) error {
		_, _, err := undated.WritePart(ctx, w, part, func(place string) string { return place })
		return err
	})
}

func (e *Export) state(ctx context.Context, content func(undated *Export, w io.Writer) error) (string, error) {
	undated := *e
	undated.opened = time.Time{} // when it is written is no part of the content
	known, err := json.Marshal(undated.Facts())
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n%s\n%s\n%d\n", known, e.Query.Values().Encode(), e.Query.Today, e.question.PayoutRule, e.question.InactivityLimit)
	if !e.Kind.Settled {
		if err := content(&undated, hash); err != nil {
			return "", fmt.Errorf("content of an export: %w", err)
		}
		return fmt.Sprintf("%x", hash.Sum(nil)[:16]), nil
	}
	written, err := e.question.LastReported(ctx)
	if err != nil {
		return "", err
	}
	fmt.Fprint(hash, written)
	return fmt.Sprintf("%x", hash.Sum(nil)[:16]), nil
}
