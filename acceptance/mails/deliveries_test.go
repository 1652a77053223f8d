package mails_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/delivery"
	"rebatedesk/delivery/carrier"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/store/outbox"
	"rebatedesk/web"
	"rebatedesk/web/templates/ui"
)

// An administrator adds a delivery, a manager runs it, and everybody sees what became of it; who
// may not do it is refused, and a wrong form comes back with its faults.
func TestDeliveryPages(t *testing.T) {
	t.Parallel()
	o := &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Path: filepath.Join(t.TempDir(), "desk.db")}
	o.Store, o.Access = site.NewAccess(t, o.Path, access.Options{Now: o.Now})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	site.Fill(o)
	dir := t.TempDir()
	service := reports.New(o.Store, o.Now)
	deliveries := delivery.New(delivery.Options{Store: o.Store, Reports: service, Now: o.Now, Destinations: carrier.Settings{Folders: []string{dir}}})
	o.Address, o.Server = site.Serve(t, web.Options{Reports: service, Access: o.Access, Desk: service, Collect: site.Nothing, Deliveries: deliveries,
		Mail: mail.New(mail.Options{Store: o.Store, Reports: service, Now: o.Now})})
	admin, manager, viewer := o.As("anna", access.Admin), o.As("mia", access.Manager), o.As("vera", access.Viewer)
	o.Enrol(admin)

	form := []string{"name", "Warehouse <b>", "kind", "daily", "format", "parquet", "every", "day", "at", "06:30", "content", "period", "deadline", "12", "to", "file://" + dir, "coin", "USDT"}
	for name, v := range map[string]*site.Visitor{"manager": manager, "viewer": viewer} {
		if a := v.Post("/deliveries", form...); a.StatusCode != http.StatusForbidden {
			t.Errorf("a %s adds a delivery: %d", name, a.StatusCode)
		}
		if a := v.Get("/deliveries/new"); a.StatusCode != http.StatusForbidden {
			t.Errorf("a %s opens the form: %d", name, a.StatusCode)
		}
	}
	wrong := append([]string{}, form...)
	wrong[9], wrong[15] = "25:00", "sftp://host/x"
	if a := admin.Post("/deliveries", wrong...); a.StatusCode != http.StatusBadRequest || !strings.Contains(a.Body, "names its user") || !strings.Contains(a.Body, "not a time of day") || !strings.Contains(a.Body, `value="USDT"`) {
		t.Errorf("a wrong form: %d\n%s", a.StatusCode, a.Body)
	}
	if a := admin.Post("/deliveries", form...); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("adding a delivery: %d\n%s", a.StatusCode, a.Body)
	}
	list := viewer.Get("/deliveries")
	if list.StatusCode != http.StatusOK || !strings.Contains(list.Body, "Warehouse &lt;b&gt;") || strings.Contains(list.Body, "Run now") || strings.Contains(list.Body, ">Change<") {
		t.Errorf("the list of a viewer: %d\n%s", list.StatusCode, list.Body)
	}
	if a := viewer.Post("/deliveries/1/run"); a.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer runs a delivery: %d", a.StatusCode)
	}
	if a := manager.Post("/deliveries/1/run"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a manager runs a delivery: %d\n%s", a.StatusCode, a.Body)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		deliveries.Run(ctx)
	}()
	site.Soon(t, "the file is delivered", func() bool {
		log, err := deliveries.Files(t.Context(), 1, 0, 1)
		return err == nil && len(log) == 1 && log[0].State == outbox.Sent
	})
	// The one log of what was sent has the file, whatever the mails.
	for path, has := range map[string]bool{"/summaries/deliveries": true, "/summaries/deliveries?state=sent": true, "/summaries/deliveries?state=dead": false} {
		if log := viewer.Get(path); log.StatusCode != http.StatusOK || strings.Contains(site.Words(log.Body), "File of Warehouse <b>") != has || strings.Contains(log.Body, "Warehouse <b>") {
			t.Errorf("%s: status %d: %s", path, log.StatusCode, site.Words(log.Body))
		}
	}
	stop()
	<-ended
	log, err := deliveries.Files(t.Context(), 1, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, log[0].File)); err != nil {
		t.Error(err)
	}
	if page := viewer.Get("/deliveries/1"); page.StatusCode != http.StatusOK || !strings.Contains(page.Body, log[0].SHA256) || !strings.Contains(page.Body, log[0].File) {
		t.Errorf("the log: %d\n%s", page.StatusCode, page.Body)
	}
	if a := manager.Post("/deliveries/1/run", "date", "2999-01-01"); a.StatusCode != http.StatusBadRequest || !strings.Contains(a.Body, "is not over") {
		t.Errorf("a period that is not over: %d", a.StatusCode)
	}
	d, err := deliveries.Delivery(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	version := d.Updated
	if a := manager.Post("/deliveries/1/pause", "version", ui.VersionText(version)); a.StatusCode != http.StatusSeeOther {
		t.Errorf("pausing: %d", a.StatusCode)
	}
	if a := admin.Post("/deliveries/1", append(form, "version", ui.VersionText(version))...); a.StatusCode != http.StatusConflict {
		t.Errorf("a change of an old version: %d\n%s", a.StatusCode, a.Body)
	}
	if d, err = deliveries.Delivery(t.Context(), 1); err != nil || !d.Paused.Known() {
		t.Errorf("%+v, %v", d, err)
	}
	if a := admin.Post("/deliveries/1/remove", "version", ui.VersionText(d.Updated)); a.StatusCode != http.StatusSeeOther {
		t.Errorf("removing: %d", a.StatusCode)
	}
	if a := viewer.Get("/deliveries/1"); a.StatusCode != http.StatusNotFound {
		t.Errorf("a removed one: %d", a.StatusCode)
	}
	var actions []string
	for _, line := range o.Audit() {
		if strings.HasPrefix(line.Action, "scheduled delivery") {
			actions = append(actions, strings.TrimPrefix(line.Action, "scheduled delivery ")+" by "+line.Actor)
		}
	}
	if got := strings.Join(actions, ", "); got != "removed by anna, paused by mia, run by mia, added by anna" && got != "added by anna, run by mia, paused by mia, removed by anna" {
		t.Errorf("the audit log has %s", got)
	}
}
