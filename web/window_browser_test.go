package web_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// window is the browser window of a tab. Opening and closing one takes Chromium as long
// as loading a page, so a test reuses the window of an earlier one.
type window struct {
	ctx   context.Context
	close func()
	apart bool // with separate cookies
}

// idle are windows that show nothing.
var idle struct {
	sync.Mutex
	list []*window
}

// takeWindow is one that shows nothing and remembers nothing but cookies.
func takeWindow(t *testing.T, options ...chromedp.ContextOption) *window {
	t.Helper()
	w := &window{apart: len(options) > 0}
	if !w.apart {
		if left := idleWindow(); left != nil {
			return left
		}
	}
	w.ctx, w.close = chromedp.NewContext(browser.ctx, options...)
	if err := chromedp.Do(w.ctx); err != nil { // it lives as long as the context that it is first used with
		w.close()
		t.Fatal(err)
	}
	return w
}

// idleWindow returns nil if none is left.
func idleWindow() *window {
	idle.Lock()
	defer idle.Unlock()
	n := len(idle.list)
	if n == 0 {
		return nil
	}
	w := idle.list[n-1]
	idle.list = idle.list[:n-1]
	return w
}

// leave makes a window ready for another test, or closes it where that cannot
// be or is not wanted.
func (w *window) leave(closing bool) {
	if closing || w.apart || w.clear() != nil {
		w.close()
		return
	}
	idle.Lock()
	defer idle.Unlock()
	idle.list = append(idle.list, w)
}

// clear deletes the data that pages keep in a tab, and its history.
func (w *window) clear() error {
	ctx, stop := context.WithTimeout(w.ctx, 5*time.Second)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`sessionStorage.clear()`), chromedp.Navigate("about:blank")); err != nil {
		return err
	}
	_, err := chromedp.Call(ctx, page.ResetNavigationHistory, cdp.Empty{})
	return err
}
