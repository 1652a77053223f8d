package mail

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// Summaries and alerts about the invitees of a user are about those to whom the user is bound, in
// every part and file. When the user is bound no longer they stop and say why, and are not about
// everybody.
func TestMailsAboutInviteesOfUsers(t *testing.T) {
	t.Parallel()
	d := collected(t, mailer.Server{})
	mara := identity.User{Name: "Mara", Role: "manager", Password: "-", Created: affiliate.MillisOf(d.now)}
	storetest.Done(t, identity.AddUser(t.Context(), d.store, someone, mara, false))
	bind := func(bound ...affiliate.Binding) {
		t.Helper()
		storetest.Done(t, identity.BindUser(t.Context(), d.store, someone, "Mara", store.AnyVersion, func(affiliate.Bound) (affiliate.Bound, error) {
			return affiliate.BoundTo(bound), nil
		}))
	}
	plan := planned(t, func(s *outbox.Subscription) { s.Name, s.AsUser = "Hers", "mara" }).Subscription
	if rule := storetest.Broken(t, d.Save(t.Context(), plan, someone)); rule.Field != "as_user" || !strings.Contains(rule.Problem, "sees everybody") {
		t.Errorf("a summary about the invitees of a user who sees everybody: %+v", rule)
	}
	bind(affiliate.Binding{By: affiliate.BoundByCode, Name: "vip"})
	d.schedule(func(s *outbox.Subscription) { s.AsUser = "mara" })
	d.watching("restatement", func(a *outbox.Subscription) { a.AsUser = "Mara" })

	sum, err := d.Service.summary(t.Context(), d.named("Morning"), dispatch.Daily.Of(first))
	storetest.Done(t, err)
	coded, err := d.Service.summary(t.Context(), planned(t, func(s *outbox.Subscription) { s.Code = "vip" }), dispatch.Daily.Of(first))
	storetest.Done(t, err)
	if len(sum.Totals) == 0 || len(sum.Totals) != len(coded.Totals) {
		t.Fatalf("the totals are %+v, of the code %+v", sum.Totals, coded.Totals)
	}
	for i, total := range sum.Totals {
		if total != coded.Totals[i] {
			t.Errorf("a total is %+v, of the code %+v", total, coded.Totals[i])
		}
	}
	if !strings.Contains(sum.Subject, "invitees of mara") || !strings.Contains(strings.Join(sum.Notes, " "), "Only invitees of mara.") {
		t.Errorf("the subject is %q, the notes %q", sum.Subject, sum.Notes)
	}
	for _, table := range sum.Tables {
		for _, row := range table.Rows {
			if strings.Contains(strings.Join(row, " "), string(uid(1))) || strings.HasPrefix(table.Title, "Sub-affiliates") {
				t.Errorf("%s has %q", table.Title, row)
			}
		}
	}
	files, err := d.attachments(t.Context(), d.named("Morning"), sum.Query)
	storetest.Done(t, err)
	same, err := d.attachments(t.Context(), planned(t, func(s *outbox.Subscription) { s.Code, s.AttachCSV = "vip", true }), coded.Query)
	storetest.Done(t, err)
	if string(files[0].Content) != string(same[0].Content) {
		t.Errorf("the file is\n%s\nof the code\n%s", files[0].Content, same[0].Content)
	}

	told(t, "at first", d.after(0))
	brings := func(changed affiliate.UID) {
		t.Helper()
		d.now = d.now.Add(time.Hour)
		var rows []affiliate.Commission
		for _, row := range programme(affiliate.Days{First: first - 40, Last: first}) {
			if row.UID == changed && row.Product == affiliate.Spot {
				row.Commission = "5000"
			}
			if affiliate.DayOf(row.DealTime.Time(), time.UTC) == first {
				rows = append(rows, row)
			}
		}
		d.collect(daysOf(first, first), rows...)
	}
	brings(uid(1))
	told(t, "when another's figures changed", d.after(0))
	brings(uid(0))
	const changed = "Alert: figures of past days changed – all accounts (UTC)"
	told(t, "when the figures of one of hers changed", d.after(0), changed)

	bind()
	if at := d.standing(); !strings.Contains(at.Problem, "the user sees everybody") {
		t.Errorf("the schedule says %q", at.Problem)
	}
	if _, err := d.Service.summary(t.Context(), d.named("Morning"), dispatch.Daily.Of(first)); err == nil {
		t.Error("a summary is made about the invitees of a user who sees everybody")
	}
	brings(uid(2))
	told(t, "when the user is bound no longer", d.after(0), changed)
	bind(affiliate.Binding{By: affiliate.BoundByCode, Name: "vip"})
	storetest.Done(t, identity.DisableUser(t.Context(), d.store, someone, "mara", store.AnyVersion))
	if at := d.standing(); !strings.Contains(at.Problem, "the user is disabled") {
		t.Errorf("the schedule says %q", at.Problem)
	}
	for _, watches := range []string{"goal", "rate"} {
		raw := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: "x", Watches: watches, Zone: "UTC", AsUser: "mara", Recipients: outbox.Recipients([]string{"boss@example.com"})}
		if field := storetest.Broken(t, d.Save(t.Context(), raw, someone)).Field; field != "as_user" {
			t.Errorf("an alert of %s is refused at %q", watches, field)
		}
	}
}
