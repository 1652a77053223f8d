package delivery

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"rebatedesk/delivery/carrier"
	"rebatedesk/store/outbox"
)

// A disk that is full while the file is written, or while its manifest is, leaves the last whole
// file of that name with the manifest that belongs to it or an earlier one, and no part of another.
// The log says it, and once there is room the delivery is made. /dev/full answers as a full disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"file", "manifest"} {
		t.Run(stage, func(t *testing.T) {
			d := collected(t)
			of := d.add(1, nil)
			d.deliver()
			name := d.files()
			before, note := d.content(name), d.content(ManifestName(name))
			if len(before) == 0 || len(note) == 0 {
				t.Fatal("nothing was delivered")
			}
			d.settings.Disk = fullFor(t, map[string]string{"file": name, "manifest": ManifestName(name)}[stage])
			d.again(of)
			d.deliver()
			d.settings.Disk = nil
			one := d.log(of.ID)[0]
			if one.State != outbox.Waiting || !strings.Contains(one.Answer, "no space left on device") || !strings.Contains(one.Answer, "make room on this disk") {
				t.Errorf("the log says %+v", one)
			}
			if got := d.content(name); string(got) != string(before) || string(d.content(ManifestName(name))) != string(note) && stage == "file" {
				t.Errorf("the last file has %d bytes now, want %d as before", len(got), len(before))
			}
			if got := d.files(); got != name {
				t.Errorf("the folder has %s", got)
			}
			*d.clock = d.clock.Add(3 * time.Hour)
			d.deliver()
			if one = d.log(of.ID)[0]; one.State != outbox.Sent {
				t.Errorf("with room, the log says %+v", one)
			}
			d.proved(of, one)
		})
	}
}

// fullFor is a disk that is full while one file is written.
func fullFor(t *testing.T, name string) func(*os.File) io.Writer {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { full.Close() })
	return func(file *os.File) io.Writer {
		if path := filepath.Base(file.Name()); strings.HasPrefix(path, "."+name+".") && !strings.HasPrefix(path, "."+ManifestName(name)+".") {
			return full
		}
		return file
	}
}

// again queues the newest period of a delivery once more.
func (d *fixture) again(of outbox.Delivery) {
	d.Helper()
	if err := d.Ask(d.Context(), of, d.NewestPeriod(of), someone); err != nil {
		d.Fatal(err)
	}
}

// A storage that takes no more, of the file or of its manifest, keeps the last object, the log says
// what mends it, and with the right given back the delivery is made.
func TestBucketWithoutRights(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{".csv", ".manifest.json"} {
		backend := s3mem.New()
		if err := backend.CreateBucket("reports"); err != nil {
			t.Fatal(err)
		}
		var may = true
		storage := gofakes3.New(backend, gofakes3.WithoutVersioning()).Server()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !may && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, refused) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`)
				return
			}
			storage.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		d := collected(t)
		d.settings = carrier.Settings{S3Endpoint: server.URL, S3Region: "us-east-1", S3AccessKey: "key", S3SecretKey: "canary-secret"}
		of := d.add(1, func(one *outbox.Delivery) { one.To = "s3://reports/daily" })
		d.deliver()
		object := func(name string) string {
			t.Helper()
			o, err := backend.GetObject("reports", "daily/"+name, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Contents.Close()
			text, err := io.ReadAll(o.Contents)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		name := d.log(of.ID)[0].File
		before := object(name)
		may = false
		d.again(of)
		d.deliver()
		one := d.log(of.ID)[0]
		if one.State != outbox.Waiting || !strings.Contains(one.Answer, "give it that right") || strings.Contains(one.Answer, "canary") {
			t.Errorf("%s: the log says %+v", refused, one)
		}
		if object(name) != before {
			t.Errorf("%s: the last object was changed", refused)
		}
		may = true
		*d.clock = d.clock.Add(3 * time.Hour)
		d.deliver()
		if one = d.log(of.ID)[0]; one.State != outbox.Sent || int64(len(object(name))) != one.Bytes {
			t.Errorf("%s: with the right given back, the log says %+v", refused, one)
		}
	}
}
