package metrics

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes is the maximum number of simultaneous scrapes.
const maxScrapes = 4

// Handler answers /metrics. A page in a browser on this machine could point its own
// host name here (DNS rebinding), so a loopback listener answers only to an address or
// localhost.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            errorLog{log},
		ErrorHandling:       promhttp.ContinueOnError, // a partial answer is still useful
		MaxRequestsInFlight: maxScrapes,
		Timeout:             2 * scrapeTimeout,
		DisableCompression:  true, // scrapers are nearby
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && local.IP.IsLoopback() && !plainHost(r.Host) {
			http.Error(w, "Ask for the metrics by address.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// plainHost reports whether a Host header is an address or localhost.
func plainHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

// Serve answers on the listener until ctx ends.
func (m *Metrics) Serve(ctx context.Context, ln net.Listener, log *slog.Logger) error {
	server := &http.Server{
		Handler:           m.Handler(log),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      4 * scrapeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // an interrupted scrape is repeated
	defer stop()
	if m.figures != nil {
		var work sync.WaitGroup
		defer work.Wait()
		making, end := context.WithCancel(ctx)
		defer end()
		work.Go(func() { m.figures.run(making, log) })
	}
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// errorLog adapts the log to promhttp.
type errorLog struct{ log *slog.Logger }

// Println logs that a figure is missing from an answer.
func (l errorLog) Println(v ...any) {
	for _, value := range v {
		if err, ok := value.(error); ok {
			l.log.Warn("metrics are incomplete", "error", err)
		}
	}
}

// statusText returns a status as a label. All values that are not HTTP statuses share
// one label.
func statusText(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return strconv.Itoa(status)
}
