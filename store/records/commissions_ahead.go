package records

import (
	"context"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
)

// Limits of what is read ahead, and so of the memory of an export.
const (
	partRows  = 2048 // aimed at
	partAhead = 12   // batches of a part that wait
	maxParts  = 2    // parts that wait
)

// commissionReading reads records ahead of their consumer. Several readers of one state
// take parts of the range in turn; the consumer gets the parts in their order.
type commissionReading struct {
	query  commissionQuery
	parts  chan *commissionPart // closed after the last
	enough chan struct{}        // closed when no more are needed
	done   sync.WaitGroup

	mutex sync.Mutex
	spans commissionSpans
	ended bool // all parts are given out
}

// commissionPart holds the records of a part of the range.
type commissionPart struct {
	batches chan []packedCommission
	err     error // valid once batches is closed
}

// readAhead starts to read with each reader. The caller calls stop before it closes them.
func readAhead(ctx context.Context, q commissionQuery, spans commissionSpans, readers []*store.Tx) *commissionReading {
	r := &commissionReading{query: q, parts: make(chan *commissionPart, maxParts), enough: make(chan struct{}), spans: spans}
	for _, tx := range readers {
		r.done.Go(func() { r.work(ctx, tx) })
	}
	return r
}

func (r *commissionReading) stop() {
	close(r.enough)
	r.done.Wait()
}

// each yields the records, and ends with the error of the first part that has one.
func (r *commissionReading) each(yield func(CommissionRow, error) bool) error {
	var row CommissionRow
	texts := row.texts()
	for part := range r.parts {
		for batch := range part.batches {
			for i := range batch {
				batch[i].unpack(&row, texts)
				if r.query.names != nil {
					r.query.names.fill(&row)
				}
				if !yield(row, nil) {
					return nil
				}
			}
		}
		if part.err != nil {
			return part.err
		}
	}
	return nil
}

// work reads parts until there are none, or one fails.
func (r *commissionReading) work(ctx context.Context, tx *store.Tx) {
	for {
		part, span := r.next()
		if part == nil {
			return
		}
		var n int
		// Uncaught, a panic here would end the process.
		part.err = guard.Do(nil, "reading rows", func() (err error) {
			n, err = r.query.read(ctx, tx, span, part.hand(r.enough))
			return err
		})
		close(part.batches)
		if part.err != nil {
			return
		}
		r.mutex.Lock()
		r.spans.learn(span, n)
		r.mutex.Unlock()
	}
}

// next gives out the next part. It is in the queue before the part after it is given out,
// so that the queue is in order. nil means that there is none, or that no more are needed.
func (r *commissionReading) next() (*commissionPart, affiliate.Range) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.ended {
		return nil, affiliate.Range{}
	}
	span := r.spans.next()
	if span.Empty() {
		r.ended = true
		close(r.parts)
		return nil, span
	}
	part := &commissionPart{batches: make(chan []packedCommission, partAhead)}
	select {
	case r.parts <- part:
		return part, span
	case <-r.enough:
		return nil, span
	}
}

// hand returns a function that passes a batch on; it returns false if no more are needed.
func (p *commissionPart) hand(enough <-chan struct{}) func([]packedCommission) bool {
	return func(batch []packedCommission) bool {
		select {
		case p.batches <- batch:
			return true
		case <-enough:
			return false
		}
	}
}

// commissionSpans cuts a range into spans of about as many records each.
type commissionSpans struct {
	rest       affiliate.Range
	descending bool          // the latest comes first
	width      time.Duration // of the next; zero: all of the rest
}

// splitSpans narrows the range to the times that records have, and cuts it.
func splitSpans(ctx context.Context, tx *store.Tx, span affiliate.Range, descending bool) (commissionSpans, error) {
	var first, last *int64
	from, to := span.From.UnixMilli(), span.To.UnixMilli()
	// Nothing but the times to read is taken from these two.
	err := tx.QueryRowContext(ctx, store.ForMembers(`
		SELECT (SELECT min(deal_time_ms) FROM commissions WHERE deal_time_ms >= ? AND deal_time_ms < ?),
			(SELECT max(deal_time_ms) FROM commissions WHERE deal_time_ms >= ? AND deal_time_ms < ?)`), from, to, from, to).Scan(&first, &last)
	if err != nil || first == nil || last == nil {
		return commissionSpans{}, err
	}
	return commissionSpans{affiliate.Range{From: time.UnixMilli(*first), To: time.UnixMilli(*last + 1)}, descending, time.Hour}, nil
}

// next cuts off the next span; an empty one means that there is none.
func (s *commissionSpans) next() affiliate.Range {
	span := s.rest
	switch {
	case s.width == 0 || s.width >= span.To.Sub(span.From):
		s.rest.From = s.rest.To
	case s.descending:
		span.From = span.To.Add(-s.width)
		s.rest.To = span.From
	default:
		span.To = span.From.Add(s.width)
		s.rest.From = span.To
	}
	return span
}

// learn adapts the width to the number of records that a span had.
func (s *commissionSpans) learn(span affiliate.Range, n int) {
	width := span.To.Sub(span.From)
	fitting := time.Duration(width.Milliseconds()*partRows/int64(max(n, 1))) * time.Millisecond
	s.width = min(max(fitting, width/4, time.Second), width*4)
}
