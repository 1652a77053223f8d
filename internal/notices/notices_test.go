package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// NOTICE is the one that the build makes: whatever is linked is in it.
func TestNoticeIsFresh(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := notice(root, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("NOTICE is not what is linked: run make generate")
	}
}

// A module without a licence file stops the build of the notice.
func TestNoLicenceFile(t *testing.T) {
	if _, err := licences("nobody", t.TempDir(), nil); err == nil {
		t.Error("no licence is taken for one")
	}
}
