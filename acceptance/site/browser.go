package site

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
	"rebatedesk/internal/memdir"
)

// browser is one headless Chromium for all tests of this package.
var browser struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

// Main runs the tests of a package, one more at once than there are processors, since a test waits for
// its page longer than it computes.
func Main(m *testing.M) { MainWaiting(m, 1) }

// MainWaiting is Main for a package whose tests wait longer: so many more run at once than there are
// processors.
func MainWaiting(m *testing.M, more int) {
	debug.SetGCPercent(400) // memory is there, and collecting it took a tenth of the time
	runMoreAtOnce(more)
	if err := cmp.Or(memdir.Use(), beginLasting()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if browser.close != nil {
		browser.close()
	}
	if err := endLasting(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runMoreAtOnce lets more tests run than there are processors, unless a flag says otherwise.
func runMoreAtOnce(more int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+more)); err != nil {
			panic(err) // package testing has this flag
		}
	}
}

func chromium() (string, error) {
	// The shell without a user interface needs two thirds of the time of the browser.
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium found")
}

func startBrowser() {
	path, err := chromium()
	if err != nil {
		browser.err = err
		return
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// Each window has one renderer, started on demand: a new one for each page
		// takes a third of the time of these tests.
		chromedp.Flag("process-per-site", true), chromedp.Flag("renderer-process-limit", "1"),
		// Threads that wake each other cost a fifth of the processor time of these tests: on machines
		// with two processors all of them wait for the page's own thread.
		chromedp.Flag("js-flags", "--single-threaded"), chromedp.Flag("in-process-gpu", true), chromedp.Flag("num-raster-threads", "1"),
		chromedp.Flag("disable-threaded-animation", true), chromedp.Flag("disable-checker-imaging", true), chromedp.Flag("disable-smooth-scrolling", true),
		chromedp.Flag("disable-font-subpixel-positioning", true), chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-features", "Translate,SpareRendererForSitePerProcess"),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.ctx, browser.close = ctx, func() { cancel(); stop() }
	browser.err = chromedp.Do(ctx)
}

// Tab is an open page, with the errors of its console.
type Tab struct {
	T          *testing.T
	Ctx        context.Context
	window     *window
	complaints []string // read only after the tab is left
	Refused    bool     // that pages are is no complaint
	screen     Screen
	bent       bool // it is set up as no other test expects it
	plain      bool // it runs no scripts
	Leaves     bool // it leaves pages that still ask for something, which is no complaint
}

// Screen is the size and the colour scheme in which a page is shown.
type Screen struct {
	Name          string
	Width, Height int64
	Dark          bool
	noScript      bool
}

var (
	Desktop  = Screen{Name: "desktop", Width: 1440, Height: 900}
	Laptop   = Screen{Name: "laptop", Width: 1280, Height: 800}
	Phone    = Screen{Name: "phone", Width: 390, Height: 844}
	Narrow   = Screen{Name: "narrow", Width: 320, Height: 640}
	Darkness = Screen{Name: "dark", Width: 1280, Height: 800, Dark: true}
	Plain    = Screen{Name: "no-script", Width: 1440, Height: 900, noScript: true}
)

// BothWays are a narrow screen in light colours and a wide one in dark colours: enough
// for content that TestBrowserEveryPage already shows on each screen.
var BothWays = []Screen{Phone, Darkness}

// Open opens an address as a manager. Any error on the console of the page, including
// violations of the content security policy, fails the test.
func Open(t *testing.T, url string, s Screen) *Tab {
	t.Helper()
	b := NewTab(t, url, reused)
	if b.window.session == "" {
		SignedIn(t, access.Manager) // so that a user exists
		b.ComeIn(origin(url), string(access.Manager), PasswordOf(access.Manager))
		b.window.session = b.session()
	}
	b.Look(s)
	b.Goes(url)
	return b
}

// session returns the secret of the session that the window has.
func (b *Tab) session() string {
	b.T.Helper()
	found, err := chromedp.Call(b.Ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		b.T.Fatal(err)
	}
	for _, c := range found.Cookies {
		if c.Name == "session" {
			return c.Value
		}
	}
	b.T.Fatal("the window has no session")
	return ""
}

// OpenApart opens an address in a separate browser without a session, to be admitted or
// refused.
func OpenApart(t *testing.T, url string, s Screen) *Tab {
	t.Helper()
	b := NewTab(t, url, Fresh)
	b.Refused = true
	b.Look(s)
	b.Goes(url)
	return b
}

// origin is an address without its path.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// ComeIn signs in through the form, as users do.
func (b *Tab) ComeIn(address, user, password string) {
	b.T.Helper()
	b.Goes(address + "/login?next=/account")
	b.Fill("username", user)
	b.Fill("password", password)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`location.pathname !== "/login" || document.querySelector("[role=alert]") !== null || document.querySelector("[name=totp]") !== null`)
}

// Fill types into the field with a name.
func (b *Tab) Fill(name, text string) {
	b.T.Helper()
	b.Arrives(`document.querySelector("input[name=` + name + `]") !== null`)
	b.Do(chromedp.SendKeys(chromedp.CSS("input[name="+name+"]"), text))
}

// enough is the time that a browser test may need on a busy machine.
const enough = 3 * time.Minute

func NewTab(t *testing.T, url string, take func(*testing.T) *window) *Tab {
	t.Helper()
	// The go command gives a package ten minutes, unless told otherwise, and ends it in the middle of a test.
	if end, limited := t.Deadline(); limited && time.Until(end) < enough && !allBrowsers() {
		t.Skip("the time that go test gives this package is nearly over; the pages were not looked at: run make test, which gives it longer")
	}
	browser.once.Do(startBrowser)
	if browser.err != nil {
		if allBrowsers() {
			t.Fatal(browser.err)
		}
		t.Skipf("%v; the pages were not looked at", browser.err)
	}
	window := take(t)
	ctx, stop := context.WithTimeout(window.ctx, 10*time.Minute)
	b := &Tab{T: t, Ctx: ctx, window: window}
	messages := chromedp.Console(ctx)
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for message, err := range messages {
			if err == nil {
				b.hear(message)
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-listening
		if err := window.leave(t.Failed() || b.bent); err != nil {
			t.Error(err)
		}
		for _, complaint := range b.complaints {
			if b.Refused && (strings.HasPrefix(complaint, "Failed to load resource: the server responded with a status of 4") || strings.HasPrefix(complaint, "Response Status Error Code 4")) {
				continue
			}
			t.Errorf("%s on its console: %s", url, complaint)
		}
	})
	return b
}

// Look sets the screen of the page.
func (b *Tab) Look(s Screen) {
	b.T.Helper()
	b.screen = s
	scheme := "light"
	if s.Dark {
		scheme = "dark"
	}
	bent := b.bent
	Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.Width, Height: s.Height, DeviceScaleFactor: 1, Mobile: s.Width < 600})
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: s.noScript})
	b.bent = bent || s.noScript
	b.plain = s.noScript
}

// prepared is whether htmx has begun to take the place of the browser's own links and forms. It has
// nothing to do on pages to sign in and on files.
const prepared = `document.readyState === "complete" && (!document.querySelector("[data-boost], [hx-get], [hx-post]") ||
	globalThis.htmx && [...document.forms].every((form) => "htmx-internal-data" in form))`

// Goes opens an address in the tab, until the page answers as readers know it.
func (b *Tab) Goes(address string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(address))
	if !b.plain {
		b.Until(prepared)
	}
}

func (b *Tab) hear(message chromedp.ConsoleMessage) {
	if b.Leaves && (strings.HasPrefix(message.Text, "htmx:sendAbort") || strings.HasPrefix(message.Text, "htmx:afterRequest")) {
		return // a request that fails is told as htmx:sendError
	}
	switch message.Type {
	case chromedp.ConsoleWarning, chromedp.ConsoleError, chromedp.ConsoleException:
		b.complaints = append(b.complaints, message.Text+" ("+message.URL+")")
	}
}

// Call sets up the tab. The setting stays, because no other test gets the tab.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.T.Helper()
	b.bent = true
	if _, err := chromedp.Call(b.Ctx, command, params); err != nil {
		b.T.Fatal(err)
	}
}

func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx, stop := context.WithTimeout(b.Ctx, 2*Patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.T.Fatal(err)
	}
}

// Clicks clicks an element until another one shows the effect. A browser ignores clicks until it
// has painted the page, and a page without scripts cannot be asked whether it has. The selector
// must match nothing once the click has had its effect, so that no second click reverses it.
func (b *Tab) Clicks(selector, effect string) {
	b.T.Helper()
	within := func(limit time.Duration, step chromedp.Action[chromedp.Void]) error {
		ctx, stop := context.WithTimeout(b.Ctx, limit)
		defer stop()
		return chromedp.Do(ctx, step)
	}
	var missed, last error
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		missed = within(5*time.Second, chromedp.Click(chromedp.CSS(selector)))
		if last = within(5*time.Second, chromedp.WaitVisible(chromedp.CSS(effect))); last == nil {
			return
		}
	}
	b.T.Fatalf("a click on %s never shows %s: %v, %v", selector, effect, missed, last)
}

func ValueOf[T any](b *Tab, action chromedp.Action[T]) T {
	b.T.Helper()
	result, err := chromedp.Run(b.Ctx, action)
	if err != nil {
		b.T.Fatal(err)
	}
	return result
}

// Eval runs an expression in the page and returns its value.
func Eval[T any](b *Tab, expression string) T {
	b.T.Helper()
	return ValueOf(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Until waits for an expression to become true. A page that gives way to another one meanwhile
// takes the question with it, so it is asked again.
func (b *Tab) Until(expression string) {
	b.T.Helper()
	poll := chromedp.Poll[bool](expression, chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(Patience))
	for deadline := time.Now().Add(Patience); ; {
		_, err := chromedp.Run(b.Ctx, poll)
		if err == nil {
			return
		}
		gone := slices.ContainsFunc([]string{"context with specified id", "context was destroyed", "target navigated"}, func(words string) bool { return strings.Contains(err.Error(), words) })
		if !gone || time.Now().After(deadline) {
			b.T.Fatalf("never true: %s: %v", expression, err)
		}
	}
}

// Arrives waits for an expression to become true while the page changes to another one.
func (b *Tab) Arrives(expression string) {
	b.T.Helper()
	var last error
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var there bool
		if there, last = chromedp.Run(b.Ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && (`+expression+`)`)); last == nil && there {
			return
		}
	}
	b.T.Fatalf("never true: %s (%v), at %s", expression, last, Eval[string](b, `location.href + " " + (document.querySelector("main") ?? document.body).innerText.slice(0, 600)`))
}
