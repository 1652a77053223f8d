package secret_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rebatedesk/secret"
)

// A key shows in no form in which values are printed.
func TestKeysDoNotPrint(t *testing.T) {
	raw := bytes.Repeat([]byte("K"), secret.KeySize)
	key, err := secret.KeyOf(raw)
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		Key    secret.MasterKey
		hidden secret.MasterKey
		Box    *secret.Box
		box    *secret.Box
	}
	h := holder{key, key, key.Box(), key.Box()}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("key", "key", key, "holder", h, "pointer", &h)
	}
	printed := log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		printed += fmt.Sprintf(verb, key) + fmt.Sprintf(verb, h) + fmt.Sprintf(verb, &h) + fmt.Sprintf(verb, h.Box)
	}
	encoded, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	printed += string(encoded)
	sealing := key.Derive("sealing")
	for _, form := range []string{strings.Trim(fmt.Sprint(sealing[:8]), "[]"), fmt.Sprintf("%x", sealing), "KKKK", "S0tL", "4b4b4b4b", "75 75 75", "75, 75", "0x4b, 0x4b"} {
		if strings.Contains(printed, form) {
			t.Errorf("printed as %q", form)
		}
	}
}

// What is derived for one purpose says nothing about another, and is the same
// each time.
func TestDerivedKeys(t *testing.T) {
	key, other := secret.NewKey(), secret.NewKey()
	again, err := secret.ParseKey(key.Text())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(key.Derive("a"), again.Derive("a")) || key.ID() != again.ID() {
		t.Error("the same key derives another one")
	}
	if bytes.Equal(key.Derive("a"), key.Derive("b")) || bytes.Equal(key.Derive("a"), other.Derive("a")) || key.ID() == other.ID() {
		t.Error("two keys or purposes derive the same")
	}
	if len(key.Derive("a")) != secret.KeySize || !key.Given() || (secret.MasterKey{}).Given() {
		t.Error("a key of a wrong size")
	}
}

func TestWhatIsNoKey(t *testing.T) {
	good := secret.NewKey().Text()
	for _, text := range []string{"", "x", good[:len(good)-4], good + good, " " + good, strings.Repeat("A", 43) + "B", strings.Repeat("\xff", 32)} {
		if _, err := secret.ParseKey(text); !errors.Is(err, secret.ErrNoKey) || text != "" && text != "x" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := secret.KeyOf(make([]byte, 31)); err == nil {
		t.Error("31 bytes are a key")
	}
}

// The file is readable only by its owner, is made once however many processes want it, and
// returns the key that was made.
func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "desk.db.key")
	if _, err := secret.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	var mu sync.Mutex
	var work sync.WaitGroup
	made := map[string]bool{}
	for range 8 {
		work.Go(func() {
			key, err := secret.MakeFile(path)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made[key.ID()] = true
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	work.Wait()
	key, err := secret.ReadFile(path)
	if err != nil || len(made) != 1 || !made[key.ID()] {
		t.Errorf("%d keys were made, the file holds %v: %v", len(made), key.ID(), err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	for _, content := range []string{"", "secret stuff", strings.Repeat("x", 1<<20)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.ReadFile(path); !errors.Is(err, secret.ErrNoKey) || strings.Contains(err.Error(), "secret") || len(err.Error()) > 1000 {
			t.Errorf("%.20q: %v", content, err)
		}
	}
	if _, err := secret.MakeFile(filepath.Join(dir, "no", "key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}
