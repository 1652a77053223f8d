package annotated_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	storedpeople "rebatedesk/store/people"
	"rebatedesk/store/storetest"
)

// Annotations stand beside the figures by day that they are about, in the chart, the workbook and
// the JSON. Users who see some invitees only read and write those about everything and about
// their own.
func TestAnnotationsBesideFigures(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	for _, account := range []affiliate.Account{"main", "asia"} {
		d.Want(account, reporttest.Today-6)
		d.Read(account, reporttest.Spot, reporttest.Days(-6, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 7, "5"))
	}
	d.ReadInvitees("main", reporttest.Days(-6, 0), affiliate.Invitee{UID: "7", InviteCode: "vip"})
	d.ReadInvitees("asia", reporttest.Days(-6, 0), affiliate.Invitee{UID: "7", InviteCode: "east"})
	desk := reports.NewAnnotationDesk(d.Service, annotated.Writer{Name: "ann"})
	for _, a := range []annotations.Annotation{
		{Words: "everything"}, {Words: "main", Account: "main"}, {Words: "asia", Account: "asia"}, {Words: "vip", Code: "vip"}, {Words: "east", Code: "east"},
	} {
		a.Days = reporttest.Days(-2, -1)
		if _, err := desk.AddAnnotation(t.Context(), a, audit.Line{Actor: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	names := func(list []annotations.Annotation) (words []string) {
		for _, a := range list {
			words = append(words, a.Words)
		}
		return words
	}
	for asked, want := range map[string][]string{
		"range=7d":              {"everything", "main", "asia", "vip", "east"},
		"range=7d&account=asia": {"everything", "asia", "vip", "east"},
		"range=7d&code=VIP":     {"everything", "main", "asia", "vip"},
		"range=today":           nil,
	} {
		if got := names(d.Overview(asked).Daily.Annotations); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
	}
	text, _ := d.Export(commissions.DailyFile, export.JSON, d.AskFor(commissions.DailyFile, "range=7d&account=asia&code=east"))
	var file struct{ Annotations []export.Annotated }
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Annotations) != 3 || file.Annotations[1].Account != "asia" || file.Annotations[2].Code != "east" || file.Annotations[0].Author != "ann" || file.Annotations[0].From != (reporttest.Today-2).String() {
		t.Errorf("the JSON has %+v", file.Annotations)
	}
	text, _ = d.Export(commissions.DailyFile, export.XLSX, d.AskFor(commissions.DailyFile, "range=7d&account=asia&code=east"))
	if rows := reporttest.Workbook(t, text).SheetXML("Annotations"); len(rows) != 4 || rows[3][2] != "east" || rows[3][4] != "east" {
		t.Errorf("the workbook has %q", rows)
	}

	bound := d.Service.For(affiliate.BoundTo([]affiliate.Binding{{By: affiliate.BoundByCode, Name: "vip"}}))
	own := reports.NewAnnotationDesk(bound, annotated.Writer{Name: "ann"})
	list, err := own.Annotations(t.Context(), d.QueryOf("", annotated.Accepted))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	ids := map[string]int64{}
	for _, line := range list.Lines {
		seen = append(seen, line.Words)
	}
	if want := []string{"vip", "main", "everything"}; !slices.Equal(seen, want) || list.Whole {
		t.Errorf("a bound manager reads %q, want %q", seen, want)
	}
	view, err := reports.Ask(t.Context(), bound, d.Ask("range=7d"), overview.Make)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(view.Daily.Annotations), []string{"everything", "main", "vip"}; !slices.Equal(got, want) {
		t.Errorf("a bound manager's chart has %q, want %q", got, want)
	}
	whole, err := desk.Annotations(t.Context(), d.QueryOf("", annotated.Accepted))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range whole.Lines {
		ids[line.Words] = line.ID
	}
	for _, foreign := range []string{"east", "asia", "everything"} {
		err := own.RemoveAnnotation(t.Context(), ids[foreign], audit.Line{Actor: "bob"})
		if rule, ok := errors.AsType[*store.RuleError](err); !ok || !rule.Missing {
			t.Errorf("a bound manager removes %s: %v", foreign, err)
		}
	}
	for field, wrong := range map[string]annotations.Annotation{
		"account": {Account: "asia"}, "code": {Code: "east"},
	} {
		wrong.Days, wrong.Words = reporttest.Days(0, 0), "x"
		_, err := own.AddAnnotation(t.Context(), wrong, audit.Line{Actor: "bob"})
		if rule, ok := errors.AsType[*store.RuleError](err); !ok || rule.Field != field {
			t.Errorf("a bound manager writes about %s: %v", field, err)
		}
	}
	if _, err := own.AddAnnotation(t.Context(), annotations.Annotation{Days: reporttest.Days(0, 0), Words: "for all"}, audit.Line{Actor: "bob"}); err == nil {
		t.Error("a bound manager writes what everybody reads")
	}
	admin := reports.NewAnnotationDesk(d.Service, annotated.Writer{Name: "adam", Everyone: true})
	changed := annotations.Annotation{Days: reporttest.Days(-1, -1), Words: "everything changed"}
	if err := admin.ChangeAnnotation(t.Context(), ids["everything"], changed, audit.Line{Actor: "adam"}); err != nil {
		t.Errorf("an administrator changes another's: %v", err)
	}
	others := reports.NewAnnotationDesk(d.Service, annotated.Writer{Name: "adele"})
	list, err = others.Annotations(t.Context(), d.QueryOf("", annotated.Accepted))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range list.Lines {
		if line.Words == "everything changed" && line.By() != "ann, changed by adam" || line.Changeable {
			t.Errorf("another manager reads %+v", line)
		}
	}
	if _, ok := errors.AsType[*annotated.NotYoursError](others.RemoveAnnotation(t.Context(), ids["vip"], audit.Line{Actor: "adele"})); !ok {
		t.Error("another manager removes it")
	}
	if err := own.RemoveAnnotation(t.Context(), ids["vip"], audit.Line{Actor: "bob"}); err != nil {
		t.Errorf("a bound manager removes their own: %v", err)
	}
}

// A manager who is bound to an invite code of ours reads and writes what is about it.
func TestAnnotationsOfCodesOfOurs(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-6)
	d.Read("main", reporttest.Spot, reporttest.Days(-6, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 7, "5"))
	file, err := people.ParseFile(t.Context(), []byte("uid,invite_code\n4667776807,Ours\n"))
	storetest.Done(t, err)
	_, _, err = storedpeople.Import(t.Context(), d.DB, file, "people.csv", audit.Line{Actor: "ann"})
	storetest.Done(t, err)
	bound := d.Service.For(affiliate.BoundTo([]affiliate.Binding{{By: affiliate.BoundByCode, Name: "Ours"}}))
	desk := reports.NewAnnotationDesk(bound, annotated.Writer{Name: "bob"})
	_, err = desk.AddAnnotation(t.Context(), annotations.Annotation{Days: reporttest.Days(-1, -1), Words: "letter sent", Code: "Ours"}, audit.Line{Actor: "bob"})
	storetest.Done(t, err)
	view, err := reports.Ask(t.Context(), bound, d.Ask("range=7d"), overview.Make)
	storetest.Done(t, err)
	if list := view.Daily.Annotations; len(list) != 1 || list[0].Words != "letter sent" {
		t.Errorf("the chart has %+v", list)
	}
}
