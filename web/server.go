package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/access"
	"rebatedesk/collector"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/trading"
	"rebatedesk/web/admin"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/signin"
)

// Limits of a request. A page must be ready well before [handler.WriteTimeout].
const (
	bodyLimit   = 64 << 10
	headLimit   = 16 << 10 // the longest saved view as the address and as the referrer, and room for the rest
	readTimeout = 10 * time.Second
	idleTimeout = 60 * time.Second
)

// pageTimeout is how long the making of a page may take. Only tests change it.
var pageTimeout = 50 * time.Second

// Options is what a server needs.
type Options struct {
	Reports   *reports.Service
	Access    *access.Service                 // who may come in, and what each may do
	Desk      *reports.Service                // what people write; nil: nothing can be written
	Progress  func() collector.Progress       // the running or last collection; nil: there is none
	Collect   func(ctx context.Context) error // starts or makes a collection; nil: not offered
	Console   console.Exchange                // the exchange itself; nil: there is no console
	Mail      *mail.Service                   // summaries by mail; nil: there are none
	Trading   *trading.Desk                   // sends what people and programs order; nil: nothing is sent, and the pages of trading say that it is off
	Version   string
	PublicURL string         // where browsers find the server; https turns on Strict-Transport-Security
	Hosts     []string       // names that are answered to beside those of this machine, without ports
	Zone      *time.Location // of the times on pages that are about no range; nil is UTC
	Log       *slog.Logger   // nil: nothing is logged
	Demo      bool           // the data is simulated, and every page says so
	DemoLogin *signin.Login  // with which whoever sits at this machine comes in; nil: nobody does
	// DemoTrader is the same for somebody who sends orders; nil: nobody does.
	DemoTrader *signin.Login
	// TrustedProxies are the addresses of proxies that are believed about where
	// a request came from.
	TrustedProxies []netip.Prefix
	Checks         func(ctx context.Context) []HealthCheck // what /readyz tells; nil: nothing is checked
	Watch          handler.Observer                        // told what happens

	// What administrators look after; of a part that is nil there is no page.
	Audit    *reports.Service
	Accounts admin.Accounts
	Backups  admin.BackupAdmin
}

// Server serves the pages. Make it with [New].
type Server struct {
	*handler.Base
	options   Options
	app       *fiber.App
	files     *files
	headers   []header
	ln        atomic.Pointer[handler.Listener] // while it serves
	end       context.CancelFunc               // of what is still running
	readiness readiness
	signin    *signin.Area
}

// New builds a server that listens nowhere yet.
func New(options Options) *Server {
	if options.Access == nil {
		panic("web: a server that knows nobody would let nobody in")
	}
	if options.Zone == nil {
		options.Zone = time.UTC
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Progress == nil {
		options.Progress = func() collector.Progress { return collector.Progress{} }
	}
	if options.Checks == nil {
		options.Checks = func(context.Context) []HealthCheck { return nil }
	}
	s := &Server{options: options, files: loadFiles()}
	life, end := context.WithCancel(context.Background())
	s.end = end
	s.Base = handler.New(handler.Shared{
		Reports: options.Reports, Access: options.Access, Audit: options.Audit, Mail: options.Mail, Progress: options.Progress,
		Watch: options.Watch, Log: options.Log, Zone: options.Zone, Version: options.Version, Assets: s.files.assets(),
		TrustedProxies: options.TrustedProxies, Demo: options.Demo, HTTPS: isHTTPS(options.PublicURL),
		CanCollect: options.Collect != nil, HasConsole: options.Console != nil, Life: life,
	}, debug.FreeOSMemory)
	s.headers = securityHeaders(s.HTTPS)
	s.signin = signin.New(s.Base, options.DemoLogin, options.DemoTrader)
	s.app = fiber.New(fiber.Config{
		// Without Immutable the strings of a request change under whoever
		// keeps them.
		Immutable:             true,
		BodyLimit:             bodyLimit,
		ReadBufferSize:        headLimit,
		ReadTimeout:           readTimeout,
		WriteTimeout:          handler.WriteTimeout,
		IdleTimeout:           idleTimeout,
		DisableStartupMessage: true,
		CaseSensitive:         true,
		StrictRouting:         true,
		ErrorHandler:          s.serveError,
	})
	s.app.Server().CloseOnShutdown = true
	s.routes()
	// Outermost, below Fiber: also what Fiber answers before any route, such
	// as an unknown method, carries the headers and survives a panic.
	s.app.Server().Handler = s.outermost(s.app.Handler())
	return s
}

// App is the Fiber application, for tests.
func (s *Server) App() *fiber.App { return s.app }

// Serve answers on the listener until Shutdown; then it returns nil.
func (s *Server) Serve(ln net.Listener) error {
	kept := handler.NewListener(ln)
	s.ln.Store(kept)
	if s.Life.Err() != nil { // it was told to stop before it began
		return kept.Close()
	}
	return s.app.Listener(kept)
}

// Shutdown stops listening and waits for accepted requests until ctx ends.
// What runs on after that is cancelled.
func (s *Server) Shutdown(ctx context.Context) error {
	if ln := s.ln.Load(); ln != nil {
		unused := time.AfterFunc(handler.FirstByteGrace, ln.CloseUnused)
		defer unused.Stop()
	}
	err := s.app.ShutdownWithContext(ctx)
	s.end()
	if ln := s.ln.Load(); ln != nil {
		_ = ln.Close() // it is closed already, unless Serve was just about to begin
	}
	done := make(chan struct{})
	go func() {
		s.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return err
}

// outermost sets the headers of every response and catches what nothing else
// caught.
func (s *Server) outermost(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		s.setHeaders(&ctx.Response)
		err := s.Guarded("outside of all routes", func() error {
			s.unlessAmbiguous(ctx, next)
			return nil
		})
		if err != nil {
			s.bareError(ctx, fasthttp.StatusInternalServerError, "The server failed on this request.")
		}
	}
}

// unlessAmbiguous refuses a request that gives its length in two ways.
func (s *Server) unlessAmbiguous(ctx *fasthttp.RequestCtx, next fasthttp.RequestHandler) {
	if ambiguousLength(&ctx.Request.Header) {
		s.bareError(ctx, fasthttp.StatusBadRequest, "The request gives its length twice, as Content-Length and as Transfer-Encoding. Send one of them.")
		ctx.SetConnectionClose()
		return
	}
	next(ctx)
}

// bareError answers with a line of text. It begins the response anew, so whatever
// else has to stand in that is set afterwards.
func (s *Server) bareError(ctx *fasthttp.RequestCtx, status int, text string) {
	ctx.Error(text+"\n", status)
	s.setHeaders(&ctx.Response)
}

func isHTTPS(public string) bool {
	u, err := url.Parse(public)
	return err == nil && u.Scheme == "https"
}
