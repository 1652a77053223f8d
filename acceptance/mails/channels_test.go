package mails_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/web"
)

// openChannelSite opens a site whose mail service can seal, and signs a manager in.
func openChannelSite(t *testing.T, private bool) (o *site.Site, mia *site.Visitor) {
	t.Helper()
	return openReachingSite(t, safehttp.Reach{Private: private})
}

// openReachingSite is openChannelSite with all that its channels may reach.
func openReachingSite(t *testing.T, reach safehttp.Reach) (o *site.Site, mia *site.Visitor) {
	t.Helper()
	o = &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Path: filepath.Join(t.TempDir(), "channels.db")}
	o.Store, o.Access = site.NewAccess(t, o.Path, access.Options{Now: o.Now})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	service := reports.New(o.Store, o.Now)
	o.Address, o.Server = site.Serve(t, web.Options{Reports: service, Access: o.Access, Desk: service, Collect: site.Nothing,
		Mail: mail.New(mail.Options{Store: o.Store, Reports: service, Now: o.Now, Box: secret.NewKey().Box(), Reach: reach})})
	o.AddUser("mia", access.Manager)
	return o, o.SignedInAs("mia")
}

// localService is a service of this machine with an answer that nobody else may read.
func localService(t *testing.T) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"description":"INTERNAL-SECRET","message":"INTERNAL-SECRET"}`)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), asked
}

// No channel leads to this machine or to a private network, however the address spells it, unless
// the setting allows it.
func TestChannelsStayOutside(t *testing.T) {
	t.Parallel()
	address, asked := localService(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	o, mia := openChannelSite(t, false)
	mia.Get("/channels")
	for i, host := range []string{"127.0.0.1", "127.8.8.8", "localhost", "LocalHost.", "x.localhost", "[::1]", "[::ffff:127.0.0.1]", "127.1", "0x7f000001", "2130706433", "0.0.0.0", "10.0.0.1", "169.254.169.254"} {
		for _, kind := range []string{"webhook", "telegram", "slack", "discord"} {
			for _, scheme := range []string{"http", "https"} {
				a := mia.Post("/channels", "name", fmt.Sprint(kind, scheme, i), "kind", kind, "address", scheme+"://"+host+":"+port+"/bot1?chat_id=1")
				if a.StatusCode != 400 || !strings.Contains(a.Body, "ALLOW_PRIVATE_URLS=on") {
					t.Errorf("%s to %s://%s: status %d", kind, scheme, host, a.StatusCode)
				}
			}
		}
	}
	list, err := mail.New(mail.Options{Store: o.Store, Reports: reports.New(o.Store, o.Now)}).Channels(context.Background())
	if err != nil || len(list) != 0 || asked.Load() != 0 {
		t.Errorf("%d channels, %d requests, %v", len(list), asked.Load(), err)
	}
}

// With a list of hosts, a channel is added at those alone.
func TestChannelsOfAllowedHosts(t *testing.T) {
	t.Parallel()
	hosts, err := safehttp.ParseHosts("hooks.example.com,*.slack.com")
	if err != nil {
		t.Fatal(err)
	}
	_, mia := openReachingSite(t, safehttp.Reach{Hosts: hosts})
	mia.Get("/channels")
	for i, host := range []string{"example.com", "hooks.example.com.evil.example", "slack.com", "8.8.8.8", "hooks.example.com@evil.example"} {
		a := mia.Post("/channels", "name", fmt.Sprint("x", i), "kind", "webhook", "address", "https://"+host+"/a-long-path")
		if a.StatusCode != 400 || !strings.Contains(a.Body, "ALLOWED_HOSTS") && !strings.Contains(host, "@") {
			t.Errorf("%s: status %d\n%s", host, a.StatusCode, a.Body)
		}
	}
	for i, host := range []string{"hooks.example.com", "HOOKS.slack.com."} {
		if a := mia.Post("/channels", "name", fmt.Sprint("y", i), "kind", "webhook", "address", "https://"+host+"/a-long-path"); a.StatusCode != 200 || !strings.Contains(a.Body, "whsec_") {
			t.Errorf("%s: status %d\n%s", host, a.StatusCode, a.Body)
		}
	}
}

// Adding a channel sends figures out, and another secret lets its holder sign messages: both need a
// fresh proof.
func TestChannelNeedsProof(t *testing.T) {
	t.Parallel()
	o, mia := openChannelSite(t, false)
	mia.Get("/channels")
	o.Pass(6 * time.Minute)
	before := o.Written()
	page := mia.Post("/channels", "name", "Hook", "kind", "webhook", "address", "https://hook.example.com/a-long-path")
	if page.StatusCode != 403 || !strings.Contains(page.Body, "Confirm it is you") || o.Written() != before {
		t.Fatalf("a channel without a fresh proof: status %d", page.StatusCode)
	}
	if a := mia.Post("/channels", "kept", site.KeptIn(page.Body), "password", site.LongWord); a.StatusCode != 200 || !strings.Contains(a.Body, "whsec_") {
		t.Errorf("after the password: status %d", a.StatusCode)
	}
	o.Pass(6 * time.Minute)
	if a := mia.Post("/channels/1/rotate", "version", "1"); a.StatusCode != 403 || strings.Contains(a.Body, "whsec_") {
		t.Errorf("another secret without a fresh proof: status %d", a.StatusCode)
	}
}

// What a receiver answers is shown nowhere, but for the reasons that Telegram, Discord and Slack give.
func TestAnswersOfReceiversStayUnseen(t *testing.T) {
	t.Parallel()
	address, asked := localService(t)
	o, mia := openChannelSite(t, true)
	mia.Get("/channels")
	for i, kind := range []string{"webhook", "slack", "telegram"} { // of Telegram, an answer that is none of its bot's
		if a := mia.Post("/channels", "name", kind, "kind", kind, "address", "http://"+address+"/bot1?chat_id=1"); a.StatusCode != 303 && !strings.Contains(a.Body, "whsec_") {
			t.Fatalf("%s: status %d", kind, a.StatusCode)
		}
		list, err := mail.New(mail.Options{Store: o.Store, Reports: reports.New(o.Store, o.Now)}).Channels(context.Background())
		if err != nil || len(list) != i+1 {
			t.Fatal(list, err)
		}
		for _, c := range list {
			if c.Kind != kind {
				continue
			}
			a := mia.Post(fmt.Sprintf("/channels/%d/test", c.ID), "version", fmt.Sprint(int64(c.Updated)))
			if !strings.Contains(a.Body, "403 Forbidden") || strings.Contains(a.Body, "INTERNAL") || asked.Load() != int64(i+1) {
				t.Errorf("%s: status %d, %d requests: %.200s", kind, a.StatusCode, asked.Load(), a.Body)
			}
		}
	}
	o.AddUser("vera", access.Viewer)
	vera := o.SignedInAs("vera")
	for _, path := range []string{"/channels", "/summaries", "/summaries/deliveries", "/summaries/deliveries/1", "/summaries/deliveries/2", "/summaries/deliveries/3"} {
		if a := vera.Get(path); a.StatusCode != 200 || strings.Contains(a.Body, "INTERNAL") {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}
}
