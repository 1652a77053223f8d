package mail

import (
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	whos "rebatedesk/people"
	"rebatedesk/store/outbox"
	"rebatedesk/store/people"
)

// A summary says whom to call, with the name, the reason and what is at risk.
func TestWorklistInSummaries(t *testing.T) {
	t.Parallel()
	d := newFixture(t, mailer.Server{})
	var rows []affiliate.Commission
	for day := first - 40; day < first-9; day++ {
		rows = append(rows, brings(day, "40", "USDT"))
	}
	d.collect(daysOf(first-40, first+1), rows...)
	of := string(rows[0].UID)
	file, err := whos.ParseFile(t.Context(), []byte("uid,name\n"+of+",Zoë Quill\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := people.Import(t.Context(), d.store, file, "people.csv", someone); err != nil {
		t.Fatal(err)
	}
	sc := d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = string(dispatch.Daily), []string{SectionWorklist} })
	made, err := d.author.summary(t.Context(), sc, dispatch.Period{Every: dispatch.Daily, Days: daysOf(first, first)})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range made.Tables {
		if strings.HasPrefix(table.Title, "Whom to call. Today: 1 invitee, for ") {
			if row := table.Rows[0]; len(table.Rows) != 1 || !slices.Equal(row[:2], []string{of + " (Zoë Quill)", "Fell silent"}) || !strings.HasSuffix(row[2], " days") || !strings.HasSuffix(row[3], " USDT") {
				t.Errorf("the line is %q", row)
			}
			return
		}
	}
	t.Errorf("nobody to call: %+v", made.Tables)
}
