package delivery

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// task is the task of a child.
type task struct {
	Path string
	Now  time.Time
	crashtest.Aim
}

func TestMain(m *testing.M) { crashtest.Main(m, beDeliverer) }

// beDeliverer delivers what is due.
func beDeliverer(t task) error {
	now := func() time.Time { return t.Now }
	ctx := context.Background()
	st, err := store.Open(ctx, t.Path, store.Options{Now: now})
	if err != nil {
		return err
	}
	t.Take()
	s := New(Options{Store: st, Reports: reports.New(st, now), Now: now, Log: slog.New(slog.DiscardHandler)})
	err = s.look(ctx)
	s.workers.Wait()
	return errors.Join(err, st.Close())
}

// If the process is killed between any two steps of a delivery, the file still ends once under
// its name, whole, as the export of the state that was stored first, with the manifest that
// belongs to it, and an incomplete one is gone.
func TestSoakDeliveryKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	race.Skip(t, "killed processes, which tell of no race")
	dir := t.TempDir()
	template := filepath.Join(t.TempDir(), "template.db")
	storetest.Place(t, template)
	made := &fixture{TB: t, dir: dir, clock: new(time.Time)}
	*made.clock = morning.Add(-24 * time.Hour)
	made.open(template)
	made.backfill()
	*made.clock = morning
	of := made.add(1, nil)
	*made.clock = morning.Add(11 * time.Hour)
	made.deliver() // incomplete
	made.collect(affiliate.Days{First: first, Last: first}, 1)
	if err := made.store.Close(); err != nil {
		t.Fatal(err)
	}
	database, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	incomplete := made.content(made.files())
	note := made.content(ManifestName(made.files()))
	name := made.files()

	try := func(at crashtest.Aim) (killed bool) {
		d := &fixture{TB: t, dir: dir, clock: new(time.Time)}
		*d.clock = morning.Add(12 * time.Hour)
		path := filepath.Join(t.TempDir(), "desk.db")
		for file, text := range map[string][]byte{path: database, filepath.Join(dir, name): incomplete, filepath.Join(dir, ManifestName(name)): note} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		complete := "commissions_2026-09-01_2026-09-01_UTC.csv"
		old, err := filepath.Glob(filepath.Join(dir, ".*.part"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(old, filepath.Join(dir, complete), filepath.Join(dir, ManifestName(complete))) {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		job := task{Path: path, Now: *d.clock, Aim: at}
		killed = crashtest.Run(t, job)
		d.open(path)
		for _, one := range d.log(of.ID) { // nothing that the log says is not there
			if one.State == outbox.Sent {
				d.proved(of, one)
			}
		}
		pinned := d.log(of.ID)[0]
		job.N, job.Now = 0, job.Now.Add(leaseFor+time.Second)
		if crashtest.Run(t, job) {
			t.Fatalf("%s: the run after it failed", at)
		}
		log := d.log(of.ID)
		if len(log) != 2 || log[0].State != outbox.Sent || log[0].Number != 2 {
			t.Fatalf("%s: the log has %+v", at, log)
		}
		if pinned.Number == 2 && pinned.AsOf.Known() && log[0].AsOf != pinned.AsOf {
			t.Errorf("%s: another state was delivered than the stored one", at)
		}
		*d.clock = job.Now
		d.proved(of, log[0])
		if got := d.files(); got != complete {
			t.Errorf("%s: the folder has %s", at, got)
		}
		if err := d.store.Close(); err != nil {
			t.Fatal(err)
		}
		return killed
	}
	var points []crashtest.Aim
	for _, point := range []crashpoint.Point{crashpoint.Taken, crashpoint.FileMade, crashpoint.FilePut, crashpoint.FileManifestPut, crashpoint.Talked} {
		points = append(points, crashtest.Aim{Point: point, N: 1})
	}
	crashtest.Each(t, points, 8, try)
}
