package carrier

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/pkg/sftp"

	"rebatedesk/delivery/sftptest"
)

func destination(t *testing.T, text string) Destination {
	t.Helper()
	d, err := ParseDestination(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDestinations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"file:///var/exports/":            "file:///var/exports",
		"file://localhost/var/exports":    "file:///var/exports",
		"s3://reports/a//b/":              "s3://reports/a/b",
		"s3://reports":                    "s3://reports",
		"sftp://me@files.example.com":     "sftp://me@files.example.com/",
		"sftp://me@files.example.com:22/": "sftp://me@files.example.com:22/",
		"sftp://me@[::1]:2222/~/in":       "sftp://me@[::1]:2222/~/in",
	} {
		d, err := ParseDestination(text)
		if err != nil || d.String() != want {
			t.Errorf("%s: %q, %v, want %q", text, d, err, want)
			continue
		}
		if again, err := ParseDestination(d.String()); err != nil || again != d {
			t.Errorf("%s: %q becomes %q, %v", text, d, again, err)
		}
	}
	for text, says := range map[string]string{
		"":                                    "file:///folder",
		"/var/exports":                        "file:///folder",
		"file://host/var":                     "three slashes",
		"file:///a/../../etc":                 "has no ..",
		"s3://Reports/x":                      "name of a bucket",
		"s3://reports/x?acl=public":           "after ?",
		"sftp://host/dir":                     "names its user",
		"sftp://me:canary-pw@host/dir":        "no password",
		"sftp://me@host:0/dir":                "not a port",
		"sftp://me@ho st/dir":                 "not the address",
		"https://example.com/x":               "a folder, a bucket",
		"file:///" + strings.Repeat("a", 600): "at most 500",
		"file:///a\nb":                        "in one line",
	} {
		_, err := ParseDestination(text)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%.60q: %v, want a word of %q", text, err, says)
		}
	}
}

// put delivers a file and fails on an error.
func put(t *testing.T, c Carrier, name, content string) {
	t.Helper()
	if err := c.Put(t.Context(), name, strings.NewReader(content), int64(len(content))); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func open(t *testing.T, to string, s Settings) Carrier {
	t.Helper()
	c, err := Open(t.Context(), destination(t, to), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// refused returns the error of opening a destination or of putting a file there.
func refused(t *testing.T, to string, s Settings) string {
	t.Helper()
	c, err := Open(t.Context(), destination(t, to), s)
	if err == nil {
		err = c.Put(t.Context(), "x.csv", strings.NewReader("x"), 1)
		if closing := c.Close(); closing != nil {
			t.Log(closing)
		}
	}
	if err == nil {
		t.Fatalf("%s: nothing was refused", to)
	}
	return err.Error()
}

func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range list {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cutReader gives a part of a file and then an error.
type cutReader struct{ *strings.Reader }

func (r cutReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// A file appears under its name only when it is whole: an interrupted one leaves the earlier.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	to := "file://" + dir
	c := open(t, to, Settings{})
	put(t, c, "a.csv", "first")
	put(t, c, "a.csv", "second")
	if err := c.Put(t.Context(), "a.csv", cutReader{strings.NewReader("half")}, 9); err == nil {
		t.Error("a cut file was put")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Put(ended, "a.csv", strings.NewReader("late"), 4); err == nil {
		t.Error("a file was put after the end")
	}
	if got := names(t, dir); got != "a.csv" || content(t, filepath.Join(dir, "a.csv")) != "second" {
		t.Errorf("the folder has %s", got)
	}
	for range 2 {
		if err := c.Remove(t.Context(), "a.csv"); err != nil {
			t.Error(err)
		}
	}
	if says := refused(t, to+"/none", Settings{}); !strings.Contains(says, "make it, or mount its disk") {
		t.Error(says)
	}
	if says := refused(t, to, Settings{Folders: []string{filepath.Join(dir, "below")}}); !strings.Contains(says, "DELIVERY_FOLDERS") {
		t.Error(says)
	}
	put(t, open(t, to, Settings{Folders: []string{filepath.Dir(dir)}}), "b.csv", "x")
	if err := os.Symlink("/", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if says := refused(t, to+"/out/tmp", Settings{Folders: []string{dir}}); !strings.Contains(says, "DELIVERY_FOLDERS") {
		t.Error("a link leads out of the allowed folders: " + says)
	}
	// A device that is full answers as a full disk does.
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	c = open(t, to, Settings{Disk: func(*os.File) io.Writer { return full }})
	if err := c.Put(t.Context(), "c.csv", strings.NewReader("x"), 1); err == nil || !strings.Contains(err.Error(), "make room on this disk") {
		t.Errorf("on a full disk: %v", err)
	}
}

// Whoever may write into the folder cannot make the program write elsewhere, and what killed
// processes left goes.
func TestFolderOfOthers(t *testing.T) {
	t.Parallel()
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen []string
	c := open(t, "file://"+dir, Settings{Disk: func(file *os.File) io.Writer {
		seen = append(seen, filepath.Base(file.Name()))
		return file
	}})
	left := ".a.csv." + strings.Repeat("A", 26) + ".part"
	for _, link := range []string{"a.csv", partName("a.csv"), left} {
		if err := os.Symlink(victim, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{".b.csv.part", ".a.csv.short.part"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(t, c, "a.csv", "first")
	put(t, c, "a.csv", "second")
	if content(t, victim) != "kept" || content(t, filepath.Join(dir, "a.csv")) != "second" {
		t.Errorf("the other file has %q", content(t, victim))
	}
	if info, err := os.Lstat(filepath.Join(dir, "a.csv")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the delivered file is %v, %v", info, err)
	}
	if got := names(t, dir); got != ".a.csv.short.part .b.csv.part a.csv" {
		t.Errorf("the folder has %s", got)
	}
	if len(seen) != 2 || seen[0] == seen[1] {
		t.Errorf("the files were written as %v", seen)
	}
}

// storage is an S3-compatible storage in this process.
func storage(t *testing.T, wrap func(http.Handler) http.Handler) (Settings, *s3mem.Backend) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("reports"); err != nil {
		t.Fatal(err)
	}
	var handler http.Handler = gofakes3.New(backend, gofakes3.WithoutVersioning()).Server()
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return Settings{S3Endpoint: server.URL, S3Region: "us-east-1", S3AccessKey: "key", S3SecretKey: "canary-secret"}, backend
}

func object(t *testing.T, backend *s3mem.Backend, name string) string {
	t.Helper()
	o, err := backend.GetObject("reports", name, nil)
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

func TestBucket(t *testing.T) {
	t.Parallel()
	settings, backend := storage(t, nil)
	c := open(t, "s3://reports/daily", settings)
	put(t, c, "a.csv", "first")
	put(t, c, "a.csv", "second")
	if got := object(t, backend, "daily/a.csv"); got != "second" {
		t.Errorf("the object is %q", got)
	}
	large := strings.Repeat("0123456789abcdef", (s3Part+s3Part/2)/16)
	put(t, c, "large.csv", large)
	if got := object(t, backend, "daily/large.csv"); got != large {
		t.Errorf("the large object has %d bytes, want %d", len(got), len(large))
	}
	for range 2 {
		if err := c.Remove(t.Context(), "a.csv"); err != nil {
			t.Error(err)
		}
	}
	if says := refused(t, "s3://nowhere-here", settings); !strings.Contains(says, "no bucket nowhere-here") {
		t.Error(says)
	}
	if says := refused(t, "s3://reports", Settings{S3Endpoint: settings.S3Endpoint}); !strings.Contains(says, "S3_ACCESS_KEY") {
		t.Error(says)
	}
}

// Each answer of a storage is told with what mends it, and never with the secret; a redirect is
// not followed.
func TestBucketRefusals(t *testing.T) {
	t.Parallel()
	var followed atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(other.Close)
	for _, c := range []struct {
		status     int
		code, says string
	}{
		{403, "AccessDenied", "give it that right"},
		{403, "SignatureDoesNotMatch", "correct S3_ACCESS_KEY"},
		{400, "AuthorizationHeaderMalformed", "correct S3_REGION"},
		{507, "XMinioStorageFull", "is full"},
		{307, "TemporaryRedirect", "correct S3_REGION"},
	} {
		settings, _ := storage(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.status == 307 {
					w.Header().Set("Location", other.URL)
				}
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(c.status)
				io.WriteString(w, `<?xml version="1.0"?><Error><Code>`+c.code+`</Code><Message>no</Message></Error>`)
			})
		})
		if says := refused(t, "s3://reports", settings); !strings.Contains(says, c.says) || strings.Contains(says, "canary") {
			t.Errorf("%d %s: %s", c.status, c.code, says)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := sftptest.New(t, dir)
	settings := Settings{SFTPKey: s.PrivateKey, SFTPKnownHosts: sftptest.KnownHosts(t, s.Address, s.HostKey)}
	to := "sftp://me@" + s.Address + "/~/"
	c := open(t, to, settings)
	put(t, c, "a.csv", "first")
	put(t, c, "a.csv", "second")
	if err := c.Put(t.Context(), "a.csv", cutReader{strings.NewReader("half")}, 9); err == nil {
		t.Error("a cut file was put")
	}
	if got := names(t, dir); got != "a.csv" || content(t, filepath.Join(dir, "a.csv")) != "second" {
		t.Errorf("the folder has %s", got)
	}
	put(t, open(t, "sftp://me@"+s.Address+dir, Settings{SFTPPassword: sftptest.Password, SFTPKnownHosts: settings.SFTPKnownHosts}), "b.csv", "by password")
	if got := content(t, filepath.Join(dir, "b.csv")); got != "by password" {
		t.Errorf("b.csv is %q", got)
	}
	for range 2 {
		if err := c.Remove(t.Context(), "a.csv"); err != nil {
			t.Error(err)
		}
	}
	other := sftptest.New(t, dir)
	for _, c := range []struct {
		name     string
		to       string
		settings Settings
		says     string
	}{
		{"no key at all", to, Settings{SFTPKnownHosts: settings.SFTPKnownHosts}, "set SFTP_KEY or SFTP_PASSWORD"},
		{"no known hosts", to, Settings{SFTPKey: s.PrivateKey}, "set SFTP_KNOWN_HOSTS"},
		{"no such file", to, Settings{SFTPKey: s.PrivateKey, SFTPKnownHosts: filepath.Join(dir, "none")}, "does not exist"},
		{"an unknown server", "sftp://me@" + other.Address + "/", settings, "is reached only if " + settings.SFTPKnownHosts + " has its key"},
		{"a changed key", to, Settings{SFTPKey: s.PrivateKey, SFTPKnownHosts: sftptest.KnownHosts(t, s.Address, other.HostKey)}, "another key than before"},
		{"a wrong password", to, Settings{SFTPPassword: "canary-pw", SFTPKnownHosts: settings.SFTPKnownHosts}, "refuses the user me"},
		{"a wrong key", to, Settings{SFTPKey: other.PrivateKey, SFTPKnownHosts: settings.SFTPKnownHosts}, "refuses the user me"},
		{"no key but text", to, Settings{SFTPKey: "canary-key", SFTPKnownHosts: settings.SFTPKnownHosts}, "is not a private key"},
		{"no folder", "sftp://me@" + s.Address + "/~/none", settings, "has no folder none"},
	} {
		if says := refused(t, c.to, c.settings); !strings.Contains(says, c.says) || strings.Contains(says, "canary") {
			t.Errorf("%s: %s", c.name, says)
		}
	}
}

// On a server that cannot replace a file in one step, the earlier file is there until the new one
// is in its place, whatever the server refuses.
func TestServerThatCannotReplace(t *testing.T) { // not parallel: the extensions are of the process
	var refuse func(*sftp.Request) error
	s := sftptest.NewStrict(t, func(r *sftp.Request) error {
		if refuse == nil {
			return nil
		}
		return refuse(r)
	})
	c := open(t, "sftp://me@"+s.Address+"/", Settings{SFTPKey: s.PrivateKey, SFTPKnownHosts: sftptest.KnownHosts(t, s.Address, s.HostKey)})
	client := c.(*server).client
	stands := func() string {
		t.Helper()
		list, err := client.ReadDir("/")
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, entry := range list {
			file, err := client.Open("/" + entry.Name())
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(file)
			if err := errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			words = append(words, entry.Name()+"="+string(text))
		}
		slices.Sort(words)
		return strings.Join(words, " ")
	}
	put(t, c, "a.csv", "first")
	put(t, c, "a.csv", "second")
	if got := stands(); got != "a.csv=second" {
		t.Fatalf("the server has %s", got)
	}
	no := errors.New("no")
	into := func(r *sftp.Request, target string) bool { return r.Method == "Rename" && r.Target == target }
	moves := 0
	for name, one := range map[string]struct {
		refuse func(*sftp.Request) error
		want   string
		says   string
	}{
		"any renaming": {func(r *sftp.Request) error {
			if r.Method == "Rename" {
				return no
			}
			return nil
		}, "a.csv=second", ""},
		"the new one in place, once more": {func(r *sftp.Request) error {
			if into(r, "/a.csv") && r.Filepath == "/.a.csv.part" {
				return no
			}
			return nil
		}, "a.csv=second", ""},
		"both back": {func(r *sftp.Request) error {
			if into(r, "/a.csv") {
				moves++
				return no
			}
			return nil
		}, ".a.csv.before=second", "the earlier file is kept as"},
	} {
		refuse = one.refuse
		err := c.Put(t.Context(), "a.csv", strings.NewReader("third"), 5)
		refuse = nil
		if err == nil || !strings.Contains(err.Error(), one.says) {
			t.Errorf("%s refused: %v", name, err)
		}
		if got := stands(); got != one.want {
			t.Errorf("%s refused: the server has %s", name, got)
		}
		put(t, c, "a.csv", "fourth")
		put(t, c, "a.csv", "second")
		if got := stands(); !strings.HasSuffix(got, "a.csv=second") || strings.Contains(got, ".part") {
			t.Errorf("after %s was refused, the server has %s", name, got)
		}
	}
	if moves != 3 {
		t.Errorf("%d renamings to the name were tried, want 3", moves)
	}
}

// A server that accepts a connection and then says nothing ends the try with its context.
func TestServerThatHangs(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := sftptest.New(t, t.TempDir())
	file := sftptest.KnownHosts(t, listener.Addr().String(), s.HostKey)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := Open(ctx, destination(t, "sftp://me@"+listener.Addr().String()+"/"), Settings{SFTPKey: s.PrivateKey, SFTPKnownHosts: file}); err == nil {
		t.Error("nothing answered, and it was opened")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
