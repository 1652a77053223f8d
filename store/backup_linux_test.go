package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// backUpFrom is the variable that passes a database to the child process of a test.
const backUpFrom = "STORE_TEST_BACK_UP"

// child returns a command that runs this test again in a separate process, with path in
// backUpFrom.
func child(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	command.Env = append(command.Environ(), backUpFrom+"="+path)
	return command
}

// large creates a database with that many records.
func large(t *testing.T, records int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "large.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(storetest.Corrupt(s, bulk(records)), s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func backUp(t *testing.T, path, file string) (upkeep.Copy, error) {
	t.Helper()
	s, err := store.OpenUnchanged(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := upkeep.Backup(t.Context(), s, file)
	return made, errors.Join(err, s.Close())
}

// A backup onto a full disk says so and leaves no file. Once there is room, the next one
// succeeds.
func TestBackupOntoAFullDisk(t *testing.T) {
	race.Skip(t, "a child process copies a file")
	path := os.Getenv(backUpFrom)
	if path != "" {
		backUpOntoFullDisk(t, path)
		return
	}
	command := child(t, large(t, 20_000))
	// Mounting a small disk requires a right that root of a namespace has.
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := command.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
		t.Skipf("no namespace of our own: %v", err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func backUpOntoFullDisk(t *testing.T, path string) {
	dir := t.TempDir()
	if err := syscall.Mount("small", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(dir, "copy.db")
	_, err := backUp(t, path, file)
	if err == nil || !strings.Contains(err.Error(), "no space left there") {
		t.Errorf("backup onto a full disk: %v", err)
	}
	if left := storetest.Names(t, dir); len(left) > 0 {
		t.Errorf("the disk contains %v", left)
	}
	if _, err := upkeep.Restore(t.Context(), path, file, upkeep.RestoreOptions{}); err == nil || !strings.Contains(err.Error(), "no space left there") {
		t.Errorf("restore onto a full disk: %v", err)
	}
	if left := storetest.Names(t, dir); !slices.Equal(left, []string{"copy.db.lock"}) {
		t.Errorf("after the restore the disk contains %v", left)
	}
	if err := syscall.Mount("small", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if made, err := backUp(t, path, file); err != nil || made.Contents.Tables["commissions"] != 20_000 {
		t.Errorf("with room: %+v, %v", made, err)
	}
}

// mostMemory is how much memory, in bytes, the process of a backup may use, including the
// memory of the tests.
const mostMemory = 128 << 20

// The memory of a backup does not depend on the size of the database.
func TestBackupNeedsLittleMemory(t *testing.T) {
	if path := os.Getenv(backUpFrom); path != "" {
		made, err := backUp(t, path, path+".copy")
		if err != nil || made.Contents.Open[0].Records != 600_000 || made.Contents.Open[0].Commission != "0.6" {
			t.Errorf("%+v, %v", made, err)
		}
		return
	}
	if testing.Short() {
		t.Skip("the race detector takes memory of its own")
	}
	path := large(t, 600_000)
	command := child(t, path)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	peak := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%d MiB for a database of %d MiB, in %v", peak>>20, info.Size()>>20, command.ProcessState.UserTime())
	if peak > mostMemory || info.Size() < mostMemory/2 {
		t.Errorf("the backup of %d bytes took %d bytes of memory, want at most %d", info.Size(), peak, mostMemory)
	}
}
