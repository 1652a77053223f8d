package main

import (
	"bytes"
	"errors"
	"html"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/affiliate"
	"rebatedesk/internal/benchdata"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/web"
)

// The aim of this benchmark: report pages ≥ 0.5 × the floor, while 32 signed-in readers open
// pages without a pause and nothing is written.

// BenchmarkFloor alternates between report pages and the floor page, so that other load on
// the machine affects both equally. of-floor-cpu compares the processor time of one page,
// which other load affects less.
func BenchmarkFloor(b *testing.B) {
	for _, page := range []struct{ name, address string }{
		{"overview", "/"}, {"commissions", "/commissions"}, {"invitees", "/invitees"}, {"codes", "/codes"}, {"cohorts", "/cohorts"},
		{"sub-affiliates", "/sub-affiliates"}, {"collection", "/collection"}, {"attention", "/attention"},
	} {
		b.Run(page.name, func(b *testing.B) {
			const size = 1_000_000
			clock := func() time.Time { return benchdata.Last.Start(time.UTC).Add(12 * time.Hour) }
			st, err := store.Open(b.Context(), benchdata.Path(b, size), store.Options{Now: clock})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = st.Close() })
			people, cookie := signedIn(b)
			service := reports.New(st, clock)
			pages := serveBench(b, web.New(web.Options{Reports: service, Access: people, Desk: service})) + page.address
			least := serveFloor(b, st)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers, DisableCompression: true}}
			const each = 2 * time.Second
			perSecond(b, client, pages, cookie, each/8)
			perSecond(b, client, least, cookie, each/8)
			var got, floor float64
			var gotWork, floorWork time.Duration
			rounds := 0.0
			for b.Loop() {
				began := processorTime(b)
				got += perSecond(b, client, pages, cookie, each)
				between := processorTime(b)
				floor += perSecond(b, client, least, cookie, each)
				gotWork, floorWork = gotWork+between-began, floorWork+processorTime(b)-between
				rounds++
			}
			b.ReportMetric(got/rounds, "pages/s")
			b.ReportMetric(floor/rounds, "floor/s")
			b.ReportMetric(got/floor, "of-floor")
			b.ReportMetric(got/floor*float64(floorWork)/float64(gotWork), "of-floor-cpu")
		})
	}
}

// perSecond returns the number of pages a second that readers without a pause get.
func perSecond(b *testing.B, client *http.Client, address, cookie string, during time.Duration) float64 {
	var got atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range readers {
		all.Go(func() {
			for time.Since(began) < during {
				request, err := http.NewRequest(http.MethodGet, address, nil)
				if err != nil {
					b.Error(err)
					return
				}
				request.Header.Set("Cookie", cookie)
				request.Header.Set("Accept-Encoding", "gzip")
				answer, err := client.Do(request)
				if err != nil {
					b.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK {
					b.Error(address, answer.StatusCode, err)
					return
				}
				got.Add(1)
			}
		})
	}
	all.Wait()
	return float64(got.Load()) / time.Since(began).Seconds()
}

// serveFloor serves the smallest possible report page: one query of roll-ups and two hundred rows.
// It keeps nothing between requests.
func serveFloor(b *testing.B, st *store.Store) (address string) {
	b.Helper()
	filter := records.CommissionFilter{Days: affiliate.Days{First: benchdata.Last - 29, Last: benchdata.Last}}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		r, err := st.Read(c.UserContext())
		if err != nil {
			return err
		}
		defer r.Close()
		days, err := sums.ByDay(c.UserContext(), r, filter)
		if err != nil {
			return err
		}
		page := bytes.NewBufferString(`<!doctype html><html lang="en"><head><title>Floor</title></head><body><table>`)
		for i := range 200 {
			d := days[i%len(days)]
			page.WriteString("<tr>")
			for _, cell := range []string{d.Day.String(), string(d.Account), string(d.Coin), string(d.Product), string(d.Commission)} {
				page.WriteString("<td>" + html.EscapeString(cell) + "</td>")
			}
			page.WriteString("</tr>")
		}
		page.WriteString("</table></body></html>")
		c.Set(fiber.HeaderContentType, "text/html; charset=utf-8")
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(fasthttp.AppendGzipBytesLevel(nil, page.Bytes(), fasthttp.CompressBestSpeed))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	b.Cleanup(func() {
		if err := errors.Join(app.Shutdown(), <-served); err != nil {
			b.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}
