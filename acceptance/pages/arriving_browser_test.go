package pages_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"rebatedesk/acceptance/site"
)

// While a page arrives bit by bit, nothing that a phone shows already moves, though some parts stand
// elsewhere on a phone than in the document. Neither do they move when the scripts begin.
func TestBrowserPageArrivesInItsPlace(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserOverview sees what moves, on a line that is not slow")
	t.Parallel()
	const moved = `new Promise(done => {
		const shifts = [];
		const around = ({node}) => node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
		const appears = (at, part) => at >= shown[0] && at < shown[1] && part.closest(".guide-note, .front-filters, .front-later, .front-money, .front-list, .front-strip, .front-chart ul");
		const told = entries => entries.filter(e => e.value >= 0.001 && e.sources.map(around).some(part => part?.closest("main") && !appears(e.startTime, part))).forEach(e => shifts.push(e.value.toFixed(4) + " at " + Math.round(e.startTime) + " ms (seen whole at " + shown.map(Math.round) + "): " + e.sources.map(({node, previousRect: from, currentRect: to}) =>
			(node?.id || node?.className || node?.textContent.slice(0, 40)) + " from " + [from.left, from.top, from.width] + " to " + [to.left, to.top, to.width]).join(", ")));
		const watch = new PerformanceObserver(list => told(list.getEntries()));
		watch.observe({type: "layout-shift", buffered: true});
		setTimeout(() => { told(watch.takeRecords()); done(shifts); }, 300);
	})`
	h := site.OpenSharedSite(t)
	b := site.Open(t, h.At("/"), site.Phone)
	slow := throughASlowLine(t, h.At(""))
	// What is invisible until the whole page is there has not moved when it appears, though Chromium says so
	// if it comes to its place in the same frame. shown are the times of that frame and the next.
	site.Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		shown = [];
		requestAnimationFrame(function look(at) {
			if (document.getElementById("announcement")) shown.push(at);
			if (shown.length < 2) requestAnimationFrame(look);
		});`})
	for _, path := range []string{"/", "/rates", "/statements"} {
		b.Goes(slow + path)
		b.Until(`document.querySelector(".scroll-cue:not([data-cue])") === null && shown.length === 2`)
		if shifts := site.Eval[[]string](b, moved); len(shifts) > 0 {
			t.Errorf("%s moves while it arrives:\n%s", path, strings.Join(shifts, "\n"))
		}
	}

	f := site.OpenCharts(t)
	trader := site.OpenTrader(t, f.Address, f.Code(f.Secret))
	trader.Look(site.Phone)
	trader.Goes(throughASlowLine(t, f.Address) + "/console/markets/" + site.Spot)
	site.Eval[bool](trader, `shown = [], true`)
	for _, shift := range site.Eval[[]string](trader, moved) {
		if strings.Contains(shift, "candle-tools") {
			t.Errorf("what stands below the candles on a phone moves while the market arrives: %s", shift)
		}
	}
	trader.Goes("about:blank") // the line ends before the tab, and its stream would complain
}

// throughASlowLine returns the address of a way to a server on which each page takes half a second,
// in a dozen pieces.
func throughASlowLine(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	line := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(r *http.Response) error {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") && r.Request.Header.Get("Hx-Request") == "" {
				r.Body = &slowBody{from: bufio.NewReader(r.Body), Closer: r.Body, piece: int(max(r.ContentLength, 0))/12 + 1}
			}
			return nil
		},
	})
	t.Cleanup(func() {
		if err := line.Config.Close(); err != nil { // the page's stream never ends by itself
			t.Error(err)
		}
	})
	return line.URL
}

// slowBody is read in pieces of some bytes, each after a pause. A piece ends with an element that is no
// part of a line of text: half a figure that stands at the right moves when its other half comes.
type slowBody struct {
	io.Closer
	from  *bufio.Reader
	piece int
}

var endOfBlock = regexp.MustCompile(`</(div|p|li|ul|ol|form|section|details|td|tr|table|h[1-6]|svg|script)>$`)

func (s *slowBody) Read(p []byte) (int, error) {
	time.Sleep(40 * time.Millisecond)
	n, err := io.ReadFull(s.from, p[:min(len(p), s.piece)])
	for err == nil && n < len(p) && !endOfBlock.Match(p[max(0, n-len("</section>")):n]) {
		if p[n], err = s.from.ReadByte(); err == nil {
			n++
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
