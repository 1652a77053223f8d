package mail

import (
	"strings"
	"testing"

	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	whos "rebatedesk/people"
	"rebatedesk/store/outbox"
	"rebatedesk/store/people"
)

// A summary has the names of people beside their UIDs, and none while they are hidden from
// viewers.
func TestNamesInSummaries(t *testing.T) {
	t.Parallel()
	d := newFixture(t, mailer.Server{})
	d.collect(daysOf(first-40, first+1), brings(first, "40", "USDT"))
	sc := d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = string(dispatch.Daily), []string{SectionInvitees} })
	cell := func() string {
		t.Helper()
		made, err := d.author.summary(t.Context(), sc, dispatch.Period{Every: dispatch.Daily, Days: daysOf(first, first)})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range made.Tables {
			if strings.HasPrefix(table.Title, "Top invitees") {
				return table.Rows[0][0]
			}
		}
		t.Fatal("no table of invitees")
		return ""
	}
	of := string(brings(first, "40", "USDT").UID)
	if got := cell(); got != of {
		t.Errorf("without a name: %q", got)
	}
	file, err := whos.ParseFile(t.Context(), []byte("uid,name\n"+of+",Zoë Quill\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := people.Import(t.Context(), d.store, file, "people.csv", someone); err != nil {
		t.Fatal(err)
	}
	if got := cell(); got != of+" (Zoë Quill)" {
		t.Errorf("with a name: %q", got)
	}
	if err := people.HideNames(t.Context(), d.store, true, someone); err != nil {
		t.Fatal(err)
	}
	if got := cell(); got != of {
		t.Errorf("hidden: %q", got)
	}
}
