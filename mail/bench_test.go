package mail

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"rebatedesk/store/outbox"
)

// BenchmarkFiveHundredRecipients makes one summary with chart and files and hands
// it to five hundred recipients, one message each. Aim: at most three seconds in all, of
// which the server of the test waits one.
func BenchmarkFiveHundredRecipients(b *testing.B) {
	for b.Loop() {
		o := newMailServer(b)
		o.idsOnly = true
		d := collected(b, o.Server)
		d.schedule(func(s *outbox.Subscription) {
			s.Recipients = nil
			for i := range MostRecipients {
				s.Recipients = append(s.Recipients, outbox.Recipient{Address: fmt.Sprintf("r%d@example.com", i)})
			}
		})
		d.now = tomorrow(8, 0)
		d.readAll()
		runtime.GC() // of the previous round
		done, peak := make(chan struct{}), make(chan uint64)
		go func() { peak <- mostHeap(done) }()
		begun := time.Now()
		d.queueAll()
		queued := time.Since(begun)
		d.drain()
		b.ReportMetric(queued.Seconds(), "s-queueing")
		b.ReportMetric(time.Since(begun).Seconds(), "s-in-all")
		close(done)
		b.ReportMetric(float64(<-peak)/(1<<20), "MiB-heap")
		b.ReportMetric(float64(o.most.Load()), "at-once")
		if len(o.kept) != MostRecipients {
			b.Fatalf("%d letters", len(o.kept))
		}
	}
}

// mostHeap measures the peak memory of this process, including the mail server, which
// keeps only the numbers of the letters.
func mostHeap(done <-chan struct{}) (most uint64) {
	var m runtime.MemStats
	for {
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
		select {
		case <-done:
			return most
		case <-time.After(20 * time.Millisecond):
		}
	}
}
