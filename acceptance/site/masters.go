package site

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"rebatedesk/store/storetest"
)

// Now is the time of the fixtures.
var Now = time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)

func ClockAtNow() time.Time { return Now }

// lasting is a testing.TB for fixtures that stay open until the last test of the package
// has ended.
type lasting struct{ testing.TB }

var lasts struct {
	sync.Mutex
	folder string
	ends   []func()
	faults []error
}

func (lasting) Cleanup(end func()) {
	lasts.Lock()
	defer lasts.Unlock()
	lasts.ends = append(lasts.ends, end)
}

func (l lasting) TempDir() string {
	folder, err := os.MkdirTemp(lasts.folder, "")
	if err != nil {
		l.TB.Fatal(err)
	}
	return folder
}

// Error and Errorf keep the faults of closing these fixtures, because their tests have
// ended by then.
func (lasting) Error(args ...any) {
	lasts.Lock()
	defer lasts.Unlock()
	lasts.faults = append(lasts.faults, errors.New(fmt.Sprint(args...)))
}

func (lasting) Errorf(format string, args ...any) {
	lasts.Lock()
	defer lasts.Unlock()
	lasts.faults = append(lasts.faults, fmt.Errorf(format, args...))
}

// beginLasting creates the directory of these fixtures early, so that a test that sets
// TMPDIR does not move it.
func beginLasting() (err error) {
	lasts.folder, err = os.MkdirTemp("", "rebatedesk-acceptance-")
	return err
}

// endLasting closes these fixtures, newest first.
func endLasting() error {
	for _, end := range slices.Backward(lasts.ends) {
		end()
	}
	return errors.Join(append(lasts.faults, os.RemoveAll(lasts.folder))...)
}

// masters holds the path of each database that is filled once for all tests, by name.
var masters struct {
	sync.Mutex
	paths map[string]string
}

// Copied returns the path of a separate copy of a database. The first caller with a name
// fills and closes the original.
func Copied(t testing.TB, of string, fill func(t testing.TB, path string)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rebatedesk.db")
	content, err := os.ReadFile(master(t, of, fill))
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func master(t testing.TB, of string, fill func(t testing.TB, path string)) string {
	t.Helper()
	masters.Lock()
	defer masters.Unlock()
	path, there := masters.paths[of]
	if !there {
		if masters.paths == nil {
			masters.paths = map[string]string{}
		}
		path = filepath.Join(lasting{t}.TempDir(), "master.db")
		storetest.Place(t, path)
		fill(t, path)
		for _, end := range []string{"-wal", "-journal"} {
			if _, err := os.Stat(path + end); err == nil {
				t.Fatalf("%s is not closed: a copy of it would be incomplete", path)
			}
		}
		masters.paths[of] = path
	}
	return path
}

// once returns a function that opens a fixture on its first call. All tests share it, and
// none may change it.
func once[T any](open func(t testing.TB) T) func(t testing.TB) T {
	var mutex sync.Mutex
	var made *T
	return func(t testing.TB) T {
		t.Helper()
		mutex.Lock()
		defer mutex.Unlock()
		if made == nil {
			fixture := open(lasting{t})
			made = &fixture
		}
		return *made
	}
}
