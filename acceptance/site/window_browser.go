package site

import (
	"context"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"rebatedesk/access"
)

// window is a browser window with its own cookies, so that tests beside each other do not
// meet. Opening one takes Chromium as long as loading a page; a test therefore reuses the
// window of an earlier one.
type window struct {
	ctx     context.Context
	close   func()
	session string // the secret of its session as the manager that all tests share; empty without one
	once    bool   // no other test may have it
}

// idle are the windows that no test uses. They show nothing.
var idle struct {
	sync.Mutex
	list []*window
}

// reused returns a window that shows nothing and keeps nothing of earlier tests but
// cookies.
func reused(t *testing.T) *window {
	t.Helper()
	if left := idleWindow(); left != nil {
		return left
	}
	return newWindow(t)
}

// Fresh returns a window without cookies, for one test.
func Fresh(t *testing.T) *window {
	t.Helper()
	w := newWindow(t)
	w.once = true
	return w
}

func newWindow(t *testing.T) *window {
	t.Helper()
	w := &window{}
	w.ctx, w.close = chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	err := chromedp.Do(w.ctx) // it lives as long as the context that it is first used with
	if err == nil {           // windows beside each other have the focus, as the one in front of a user has
		_, err = chromedp.Call(w.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	}
	if err != nil {
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
// be or is not wanted. Its session ends with it: a user has few, and the oldest, which
// tests without a browser share, would end instead.
func (w *window) leave(closing bool) error {
	if closing || w.once || w.clear() != nil {
		w.close()
		if w.session == "" {
			return nil
		}
		return sharedUsers.service.SignOut(context.Background(), w.session, access.Origin{Address: netip.MustParseAddr("127.0.0.1")})
	}
	idle.Lock()
	defer idle.Unlock()
	idle.list = append(idle.list, w)
	return nil
}

// clear deletes the data that pages keep in a tab, and its history, and takes the pointer off the page.
func (w *window) clear() error {
	ctx, stop := context.WithTimeout(w.ctx, 5*time.Second)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`sessionStorage.clear()`), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 0, 0),
		chromedp.Navigate("about:blank")); err != nil {
		return err
	}
	_, err := chromedp.Call(ctx, page.ResetNavigationHistory, cdp.Empty{})
	return err
}
