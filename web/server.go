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
	"rebatedesk/delivery"
	"rebatedesk/evidence/keyring"
	"rebatedesk/mail"
	"rebatedesk/market"
	"rebatedesk/reports"
	"rebatedesk/store/audit"
	"rebatedesk/trading"
	"rebatedesk/web/admin"
	"rebatedesk/web/api"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/signin"
	"rebatedesk/web/views"
)

// Limits of a request without a file. A page must be ready well before [handler.WriteTimeout].
const (
	bodyLimit   = 64 << 10
	headLimit   = 16 << 10 // the longest saved view as both address and referrer, with room for the rest
	readTimeout = 10 * time.Second
	idleTimeout = 60 * time.Second
)

// pageTimeout is the time limit for making a page. Only tests change it.
var pageTimeout = 50 * time.Second

// Options configure a server.
type Options struct {
	Reports    *reports.Service
	Access     *access.Service                 // decides who may sign in, and what each user may do
	Desk       *reports.Service                // what people write; nil: writing is off
	Progress   func() collector.Progress       // the running or last collection; nil if there is no collection
	Signer     *keyring.Signer                 // signs evidence packs; nil: none are made
	Collect    func(ctx context.Context) error // starts or makes a collection; nil: not offered
	Console    console.Exchange                // the exchange; nil: no console
	Mail       *mail.Service                   // summaries by mail; nil: none
	Deliveries *delivery.Service               // scheduled deliveries; nil: none
	Market     *market.Feed                    // the prices of the exchange, which a console needs
	Trading    *trading.Desk                   // sends the orders of people and programs; nil: nothing is sent, and the trading pages say that trading is off
	Version    string
	PublicURL  string         // where browsers find the server; https turns on Strict-Transport-Security
	Hosts      []string       // accepted names in addition to those of this machine, without ports
	Zone       *time.Location // of times on pages without a range; nil is UTC
	Log        *slog.Logger   // nil: no logging
	Demo       bool           // the data is simulated, and every page says so
	Guide      bool           // pages show hints to those who are new, and lead to the tour and the first setup
	DemoLogin  *signin.Login  // the user as whom a visitor at this machine is signed in; nil: none
	// DemoTrader is the same for a user who sends orders; nil: none.
	DemoTrader *signin.Login
	// TrustedProxies are the addresses of proxies whose report of the client's address
	// is trusted.
	TrustedProxies []netip.Prefix
	Checks         func(ctx context.Context) ([]HealthCheck, handler.HealthFacts) // the content of /readyz; nil: none
	Watch          handler.Observer                                               // receives the events of the server

	// Parts that administrators manage; a nil part has no page.
	Audit *reports.Service
	// AuditAnchors reads what is kept outside the database of how far the audit log had come; nil:
	// nothing is.
	AuditAnchors func() []audit.Anchor
	Accounts     admin.Accounts
	Backups      admin.Backups
}

// Server serves the pages. Create it with [New].
type Server struct {
	*handler.Base
	options   Options
	app       *fiber.App
	files     *files
	headers   []header
	ln        atomic.Pointer[handler.Listener] // while it serves
	end       context.CancelFunc               // of what is still running
	leave     context.CancelFunc               // of streams
	readiness readiness
	signin    *signin.Area
	api       *api.Area
	views     *views.Area
	table     []route.Route
	uploads   uploads
}

// New builds a server that is not listening yet.
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
	if options.Reports != nil && options.Reports.Guard.Log == nil {
		options.Reports.Guard.Log = options.Log
	}
	if options.Progress == nil {
		options.Progress = func() collector.Progress { return collector.Progress{} }
	}
	if options.Checks == nil {
		options.Checks = func(context.Context) ([]HealthCheck, handler.HealthFacts) { return nil, handler.HealthFacts{} }
	}
	s := &Server{options: options, files: loadFiles()}
	life, end := context.WithCancel(context.Background())
	s.end = end
	leaving, leave := context.WithCancel(life)
	s.leave = leave
	s.Base = handler.New(handler.Shared{
		Whole: options.Reports, Access: options.Access, Audit: options.Audit, AuditAnchors: options.AuditAnchors, Mail: options.Mail, Deliveries: options.Deliveries, Progress: options.Progress,
		Watch: options.Watch, Log: options.Log, Zone: options.Zone, Version: options.Version, Assets: s.files.assets(),
		TrustedProxies: options.TrustedProxies, Demo: options.Demo, DemoTrader: options.DemoTrader != nil, Guide: options.Guide, HTTPS: isHTTPS(options.PublicURL), PublicURL: options.PublicURL,
		CanCollect: options.Collect != nil, Writing: options.Desk != nil, Life: life, Leaving: leaving,
	}, debug.FreeOSMemory)
	s.headers = securityHeaders(s.HTTPS)
	s.signin = signin.New(s.Base, options.DemoLogin, options.DemoTrader)
	s.api = api.New(s.Base, options.PublicURL)
	s.app = fiber.New(fiber.Config{
		// Without Immutable, Fiber reuses the memory of a request's strings after the
		// request.
		Immutable: true,
		BodyLimit: bodyLimit,
		// A form with a file is read in memory, like every other.
		DisablePreParseMultipartForm: true,
		ReadBufferSize:               headLimit,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 handler.WriteTimeout,
		IdleTimeout:                  idleTimeout,
		DisableStartupMessage:        true,
		CaseSensitive:                true,
		StrictRouting:                true,
		ErrorHandler:                 s.serveError,
	})
	s.app.Server().CloseOnShutdown = true
	s.app.Server().HeaderReceived = s.limits
	s.app.Server().ErrorHandler = s.uploads.wrapped(s.app.Server().ErrorHandler)
	s.routes()
	// The outermost handler runs below Fiber, so answers that Fiber gives before any
	// route, such as for an unknown method, also carry the headers and survive a
	// panic.
	s.app.Server().Handler = s.outermost(s.app.Handler())
	return s
}

// App returns the Fiber application, for tests.
func (s *Server) App() *fiber.App { return s.app }

// Serve answers on the listener until Shutdown; then it returns nil.
func (s *Server) Serve(ln net.Listener) error {
	kept := handler.NewListener(ln)
	s.ln.Store(kept)
	if s.Life.Err() != nil { // it was stopped before it began
		return kept.Close()
	}
	return s.app.Listener(kept)
}

// Shutdown stops listening and waits for accepted requests until ctx ends. It then
// cancels what is still running.
func (s *Server) Shutdown(ctx context.Context) error {
	if ln := s.ln.Load(); ln != nil {
		unused := time.AfterFunc(handler.FirstByteGrace, ln.CloseUnused)
		defer unused.Stop()
	}
	s.leave()
	err := s.app.ShutdownWithContext(ctx)
	s.end()
	if ln := s.ln.Load(); ln != nil {
		_ = ln.Close() // already closed, unless Serve was just about to begin
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

// outermost sets the headers of every response and catches panics that no inner handler
// caught.
func (s *Server) outermost(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		s.setHeaders(&ctx.Response)
		s.uploads.arrived(&ctx.Request.Header)
		defer s.uploads.leave(&ctx.Request.Header)
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

// bareError answers with a line of text. It resets the response, so all other headers
// have to be set afterwards.
func (s *Server) bareError(ctx *fasthttp.RequestCtx, status int, text string) {
	ctx.Error(text+"\n", status)
	s.setHeaders(&ctx.Response)
}

func isHTTPS(public string) bool {
	u, err := url.Parse(public)
	return err == nil && u.Scheme == "https"
}
