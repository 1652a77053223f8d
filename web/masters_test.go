package web_test

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

// now is when the fixtures are looked at.
var now = time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)

func clockAtNow() time.Time { return now }

// lasting is a test whose fixtures last until the last test of the package has ended.
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
	lasts.Lock()
	defer lasts.Unlock()
	var err error
	if lasts.folder == "" {
		lasts.folder, err = os.MkdirTemp("", "rebatedesk-web-")
	}
	var folder string
	if err == nil {
		folder, err = os.MkdirTemp(lasts.folder, "")
	}
	if err != nil {
		l.TB.Fatal(err)
	}
	return folder
}

// Error and Errorf are of what ends after the tests.
func (lasting) Error(args ...any) {
	lasts.faults = append(lasts.faults, errors.New(fmt.Sprint(args...)))
}

func (lasting) Errorf(format string, args ...any) {
	lasts.faults = append(lasts.faults, fmt.Errorf(format, args...))
}

// endLasting closes the lasting fixtures, the newest first.
func endLasting() error {
	for _, end := range slices.Backward(lasts.ends) {
		end()
	}
	if lasts.folder != "" {
		lasts.faults = append(lasts.faults, os.RemoveAll(lasts.folder))
	}
	return errors.Join(lasts.faults...)
}

// masters are the databases filled for all tests, by the function that filled them.
var masters struct {
	sync.Mutex
	paths map[string]string
}

// copied is a database of the test's own, equal to one that is filled and closed
// once for all tests which want the same.
func copied(t testing.TB, of string, fill func(t testing.TB, path string)) string {
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

// once returns a fixture that all tests share and none changes.
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
