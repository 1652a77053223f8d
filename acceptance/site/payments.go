package site

import (
	"context"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/web"
)

// OpenPaid opens a site whose programme pays with a late, a short and a missing payment.
func OpenPaid(t *testing.T) *Site {
	t.Helper()
	return OpenPaidBy(t, "day+8h few")
}

// OpenPaidBy opens a site whose programme pays by a rule.
func OpenPaidBy(t *testing.T, text string) *Site {
	t.Helper()
	rule, err := simulator.ParsePayoutRule(text)
	if err != nil {
		t.Fatal(err)
	}
	path := Copied(t, "paid "+text, func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, time.UTC, simulator.Options{Seed: 7, Days: 60, Invitees: 40, Records: 1500, Payouts: rule})
		f.Collect()
		end()
	})
	o := &Site{TB: t, Clock: &Clock{At: Now}, Path: path}
	key := secret.NewKey()
	if o.Store, err = store.Open(context.Background(), path, store.Options{AuditKey: key.Derive("audit"), Zone: time.UTC, Now: o.Now}); err != nil {
		t.Fatal(err)
	}
	o.Access = access.NewForTests(access.Options{Store: o.Store, Box: key.Box(), Now: o.Now})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	service := reports.New(o.Store, o.Now)
	o.Address, o.Server = Serve(t, web.Options{Reports: service, Desk: service, Access: o.Access, Collect: Nothing})
	return o
}

// As returns the browser of a new user.
func (o *Site) As(name string, role access.Role) *Visitor {
	o.Helper()
	o.AddUser(name, role)
	return o.SignedInAs(name)
}

// Said returns the text of the element with an id, up to the end of its paragraph.
func Said(page, id string) string {
	_, after, _ := strings.Cut(page, `id="`+id+`"`)
	text, _, _ := strings.Cut(after, "</p>")
	_, text, _ = strings.Cut(text, ">")
	return strings.Join(strings.Fields(html.UnescapeString(Tags.ReplaceAllString(text, " "))), " ")
}

var Tags = regexp.MustCompile(`<[^>]*>`)
