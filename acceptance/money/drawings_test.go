package money_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store/identity"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

var (
	formToken = regexp.MustCompile(`name="token" value="[^"]+"`)
	// The navigation says how many wait as soon as an answer tells it.
	waiting   = regexp.MustCompile(`<span class="waiting"[^>]*>[^<]*</span>\s*<span class="sr-only">, [^<]*</span>\s*`)
	requestID = regexp.MustCompile(`id=[0-9a-f]{12}`)
)

// Parts of a page are drawn once for all readers, and each reader sees what the page would
// show if nobody had opened it before. No page carries the form token of another reader.
func TestDrawingsAreForEveryReader(t *testing.T) {
	t.Parallel()
	shared := site.OpenSharedSite(t)
	address, _ := site.Serve(t, web.Options{Reports: reports.New(shared.Store, site.ClockAtNow), Desk: shared.Service, Collect: site.Nothing})
	body := func(address string, role access.Role) string {
		t.Helper()
		a := site.Get(t, address, "Cookie", site.SignedIn(t, role))
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", address, a.StatusCode)
		}
		return a.Body
	}
	for _, p := range site.EveryPage {
		path := strings.TrimPrefix(shared.At(p.Route), shared.Address) + p.Query()
		for _, order := range [][2]access.Role{{access.Admin, access.Viewer}, {access.Viewer, access.Manager}} {
			alone, _ := site.Serve(t, web.Options{Reports: reports.New(shared.Store, site.ClockAtNow), Desk: shared.Service, Collect: site.Nothing})
			first := body(address+path, order[0])
			got, want := body(address+path, order[1]), body(alone+path, order[1])
			for _, token := range formToken.FindAllString(got, -1) {
				if strings.Contains(first, token) {
					t.Errorf("%s: the %s has a form token of the %s", path, order[1], order[0])
				}
			}
			if ofAnyReader(got) != ofAnyReader(want) {
				t.Errorf("%s: the %s sees another page after the %s", path, order[1], order[0])
			}
			plain := site.Get(t, address+path, "Cookie", site.SignedIn(t, order[1]), "Accept-Encoding", "identity")
			if plain.Header.Get("Content-Encoding") != "" || ofAnyReader(plain.Body) != ofAnyReader(want) {
				t.Errorf("%s: a browser that takes no compressed pages sees another one", path)
			}
		}
	}
}

// ofAnyReader returns a page without what differs between two requests.
func ofAnyReader(page string) string {
	for _, one := range []*regexp.Regexp{formToken, waiting, requestID} {
		page = one.ReplaceAllString(page, "")
	}
	return page
}

// Whoever has a default view gets other links to the usual range than whoever has none. Both
// get their own, whoever opens the page first.
func TestDrawingsWithDefaultViews(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	view := identity.View{Owner: string(access.Manager), Name: "week", Query: "range=7d", Default: true}
	for _, view.Path = range drawnPages {
		if err := service.SaveView(t.Context(), view); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range drawnPages {
		usual := `class="option" href="` + path + `"`
		for _, role := range []access.Role{access.Manager, access.Trader, access.Manager} {
			a := site.Get(t, address+path+"?range=90d", "Cookie", site.SignedIn(t, role))
			if a.StatusCode != http.StatusOK {
				t.Fatalf("%s: status %d", path, a.StatusCode)
			}
			main, _, _ := strings.Cut(a.Body, "</main>")
			if bare := strings.Contains(main, usual); bare != (role == access.Trader) {
				t.Errorf("%s?range=90d: the bare address among the links of the %s: %t", path, role, bare)
			}
		}
	}
}

// drawnPages are the report pages whose figures are drawn once for all readers.
var drawnPages = []string{"/", "/commissions", "/invitees", "/codes", "/cohorts", "/sub-affiliates"}

// A part of a page that was drawn before shows what was written since, at the next request.
func TestDrawingsFollowWrites(t *testing.T) {
	t.Parallel()
	f := site.OpenKnown(t)
	address, _ := site.Serve(t, web.Options{Reports: f.Service, Collect: site.Nothing})
	uid := affiliate.UID("4667770077")
	today := affiliate.DayOf(site.Now, time.UTC)
	before := map[string]string{}
	for _, path := range drawnPages {
		for range 2 {
			before[path] = ofAnyReader(site.Get(t, address+path).Body)
		}
	}
	writes := map[string]func(records.Slice) error{
		"a commission": func(slice records.Slice) error {
			slice.Stream = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
			_, err := records.ReplaceCommissions(t.Context(), f.Store, slice, []affiliate.Commission{{DealTime: slice.Through, UID: uid, Product: affiliate.Spot,
				Symbol: "BTCUSDT_SPBL", Source: affiliate.Direct, Coin: "USDT", Fee: "70707.7", Rate: "0.5", Commission: "35353.85"}})
			return err
		},
		"an invitee": func(slice records.Slice) error {
			slice.Stream = affiliate.Stream{Kind: affiliate.Invitees}
			_, err := records.ReplaceInvitees(t.Context(), f.Store, slice, []affiliate.Invitee{{UID: uid, RegisterTime: slice.Through, InviteCode: "late"}})
			return err
		},
	}
	for what, write := range writes {
		if err := write(records.Slice{Account: "main", Days: affiliate.Days{First: today, Last: today}, Started: site.Now, Through: affiliate.MillisOf(site.Now)}); err != nil {
			t.Fatal(err)
		}
		fresh, _ := site.Serve(t, web.Options{Reports: reports.New(f.Store, site.ClockAtNow), Collect: site.Nothing})
		changed := 0
		for _, path := range drawnPages {
			got := ofAnyReader(site.Get(t, address+path).Body)
			if got != before[path] {
				changed++
			}
			before[path] = got
			if got != ofAnyReader(site.Get(t, fresh+path).Body) {
				t.Errorf("%s: after the write of %s, the page differs from that of a new server", path, what)
			}
		}
		if changed < 4 {
			t.Errorf("the write of %s changed only %d pages", what, changed)
		}
	}
}
