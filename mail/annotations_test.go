package mail

import (
	"fmt"
	"strings"
	"testing"

	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// A summary that was delivered tells the annotations on days of its chart in its text and in its
// HTML, where markup in them is text. Of many it tells the latest.
func TestAnnotationsInSummaries(t *testing.T) {
	t.Parallel()
	o := newMailServer(t)
	d := collected(t, o.Server)
	desk := reports.NewAnnotationDesk(d.reports, annotated.Writer{Name: "anna"})
	write := func(a annotations.Annotation) {
		t.Helper()
		_, err := desk.AddAnnotation(t.Context(), a, audit.Line{Actor: "anna"})
		storetest.Done(t, err)
	}
	write(annotations.Annotation{Days: daysOf(first-1, first), Words: "campaign <Autumn> began", Code: "vip"})
	write(annotations.Annotation{Days: daysOf(first+1, first+1), Words: "too late"})
	write(annotations.Annotation{Days: daysOf(first-chartDays, first-chartDays), Words: "too early"})
	sc := d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = string(dispatch.Daily), []string{SectionChart} })
	said := func(to string) Letter {
		t.Helper()
		storetest.Done(t, d.sendNow(sc, dispatch.Daily.Of(first), []string{to}, SendOptions{}))
		copies := o.copies(to)
		if len(copies) != 1 {
			t.Fatalf("%d letters to %s", len(copies), to)
		}
		l, err := ParseLetter(copies[0].content)
		storetest.Done(t, err)
		l.Text = strings.ReplaceAll(l.Text, "\r\n", "\n")
		return l
	}
	l := said("boss@example.com")
	const line = "31 Aug – 1 Sep 2026: campaign <Autumn> began (code vip) – anna"
	if !strings.Contains(l.Text, "\n"+line+"\n") || !strings.Contains(l.HTML, strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(line)) {
		t.Errorf("the text lacks %q:\n%s", line, l.Text)
	}
	if strings.Contains(l.Text, "too ") {
		t.Errorf("it tells other days:\n%s", l.Text)
	}
	for i := range mostNoted {
		write(annotations.Annotation{Days: daysOf(first, first), Words: fmt.Sprintf("note %d.", i)})
	}
	if text := said("again@example.com").Text; strings.Contains(text, "campaign") || !strings.Contains(text, "1 earlier annotation not shown.\n1 Sep 2026: note 0.") || !strings.Contains(text, fmt.Sprintf("note %d.", mostNoted-1)) {
		t.Errorf("of many it tells\n%s", text)
	}
}
