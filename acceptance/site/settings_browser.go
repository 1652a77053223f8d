package site

import (
	"context"
	"fmt"
	"testing"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// FilledAdminSite returns an adminSite with at least one entry of every kind on its pages.
func FilledAdminSite(t *testing.T) *adminSite {
	t.Helper()
	b := OpenAdminSite(t)
	b.AddUser("vera", access.Viewer)
	b.AddUser("mia.winterbottom@partners.example.com", access.Manager)
	b.AddUser("theo", access.Trader)
	b.AddUser("gone", access.Viewer)
	b.SignedInAs("vera")
	b.SignedInAs("mia.winterbottom@partners.example.com")
	b.SignedInAs("theo")
	for _, n := range []access.NewToken{
		{User: "ada", Name: "nightly warehouse load", Scopes: []access.Scope{access.ScopeRead, access.ScopeExport}},
		{User: "mia.winterbottom@partners.example.com", Name: "spreadsheet", Scopes: []access.Scope{access.ScopeExport}},
		{User: "gone", Name: "<b>old script</b>", Scopes: []access.Scope{access.ScopeRead}},
	} {
		if _, _, err := b.Access.CreateToken(context.Background(), Command, n); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 120 {
		line := audit.Line{Actor: "mia.winterbottom@partners.example.com", Via: "session", Address: "2001:db8:85a3::8a2e:370:7334",
			Action: "export", Object: "commissions as csv", Detail: fmt.Sprintf("/commissions.csv?range=%dd&product=SPOT", i+1)}
		if i%7 == 0 {
			line = audit.Line{Actor: "root", Via: "session", Address: "203.0.113.9", Action: "sign-in failed", Outcome: "wrong password"}
		}
		if err := b.Access.Record(context.Background(), line); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Access.Disable(context.Background(), Command, "gone", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if err := b.BackupService.Make(context.Background()); err != nil {
		t.Fatal(err)
	}
	return b
}

// EnterAs signs a tab in with the session of a visitor.
func (b *Tab) EnterAs(v *Visitor, address string) {
	b.T.Helper()
	b.Goes(address + "/healthz")
	Eval[bool](b, fmt.Sprintf(`cookieStore.set("session", %q).then(() => true)`, v.Secret()))
}

// Submit sends the form that the selector matches as its button does, and waits for the
// answer.
func (b *Tab) Submit(selector string) {
	b.T.Helper()
	Eval[bool](b, fmt.Sprintf(`window.sent = true, document.querySelector(%q).closest("form").requestSubmit(), true`, selector))
	b.Arrives(`window.sent === undefined`)
}
