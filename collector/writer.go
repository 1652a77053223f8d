package collector

import (
	"context"
	"slices"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/records"
)

// mostWaiting is how many records may wait to be written before reading waits as well. It
// limits the memory of a run that reads faster than it writes.
const mostWaiting = 3 * recordsPerWindow

// writingGrace is how long a stopped run may continue to write what it has read: far more
// than writing takes, and far less than the time a stopped process is given.
const writingGrace = 3 * time.Second

// lingering returns a context that ends some time after ctx does.
func lingering(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(grace):
			cancel()
		case <-lasting.Done():
		}
	})
	return lasting, func() { stop(); cancel() }
}

// fetched is a window that was read, with its records.
type fetched struct {
	window window
	slice  records.Slice
	exchange.Records
	quarantine []records.QuarantineRow // what could not be read
	undated    bool                    // of records that could be of several days
}

// len returns the number of records in the window.
func (f *fetched) len() int {
	return len(f.Commissions.Records) + len(f.Invitees.Records) + len(f.SubAffiliates.Records) + len(f.Bills.Records) + len(f.Transfers.Records)
}

func commissionSlices(list []fetched) []records.CommissionSlice {
	slices := make([]records.CommissionSlice, len(list))
	for i, f := range list {
		slices[i] = records.CommissionSlice{Slice: f.slice, Records: f.Commissions.Records}
	}
	return slices
}

// settledWindow is a window that was written, or could not be.
type settledWindow struct {
	window     window
	written    records.Written
	quarantine []records.QuarantineRow
	err        error
}

// writer writes windows while the next ones are read, in the order in which it receives
// them. A window does not wait for others. Windows of commissions that arrived during a
// write are written together, because most of the cost of a transaction does not depend on
// how many are in it.
type writer struct {
	write func([]fetched) ([]records.Written, error)
	ended chan struct{}

	mu      sync.Mutex
	changed *sync.Cond // signals a change of the fields below
	waiting []fetched
	last    bool // no more windows follow
	results []settledWindow
	pending int   // counted days of the windows without a result, and of results not yet taken
	err     error // of the first window that could not be written; later ones are not written
}

func newWriter(write func([]fetched) ([]records.Written, error)) *writer {
	w := &writer{write: write, ended: make(chan struct{})}
	w.changed = sync.NewCond(&w.mu)
	go w.run()
	return w
}

func (w *writer) run() {
	defer close(w.ended)
	for list := w.take(); len(list) > 0; list = w.take() {
		w.store(list)
	}
}

// store writes windows. If it fails with several, it tries them one by one, so that those
// before the faulty one are written.
func (w *writer) store(list []fetched) {
	var written []records.Written
	err := w.failure()
	if err == nil {
		written, err = w.write(list)
		if err != nil && len(list) > 1 {
			for i := range list {
				w.store(list[i : i+1])
			}
			return
		}
	}
	w.note(list, written, err)
}

func (w *writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// take waits for windows and returns those that can be written together; the result is
// empty at the end.
func (w *writer) take() []fetched {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) == 0 && !w.last {
		w.changed.Wait()
	}
	n := min(1, len(w.waiting))
	for n > 0 && n < len(w.waiting) && w.waiting[0].isCommissions() && w.waiting[n].isCommissions() {
		n++
	}
	list := slices.Clone(w.waiting[:n])
	w.waiting = slices.Delete(w.waiting, 0, n) // releases their records
	w.changed.Broadcast()
	return list
}

func (f *fetched) isCommissions() bool { return f.window.stream.Kind == affiliate.Commissions }

// note records the results of windows.
func (w *writer) note(list []fetched, written []records.Written, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	for i, f := range list {
		result := settledWindow{window: f.window, quarantine: f.quarantine, err: err}
		if err == nil {
			result.written = written[i]
		}
		w.results = append(w.results, result)
	}
}

// put queues a window for writing. It waits while too much is queued.
func (w *writer) put(f fetched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 && w.waitingRecords()+f.len() > mostWaiting {
		w.changed.Wait()
	}
	w.waiting = append(w.waiting, f)
	w.pending += f.window.counted()
	w.changed.Broadcast()
}

func (w *writer) waitingRecords() (n int) {
	for i := range w.waiting {
		n += w.waiting[i].len()
	}
	return n
}

// settled returns the results of windows since its last call.
func (w *writer) settled() []settledWindow {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.results
	w.results = nil
	for _, r := range list {
		w.pending -= r.window.counted()
	}
	return list
}

// days returns how many days the unsettled windows have.
func (w *writer) days() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending
}

// end waits until all windows are settled.
func (w *writer) end() {
	w.mu.Lock()
	w.last = true
	w.changed.Broadcast()
	w.mu.Unlock()
	<-w.ended
}
