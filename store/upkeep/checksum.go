package upkeep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// checksumEnding names the checksum of a backup after it.
const checksumEnding = ".sha256"

// checksumOf is the SHA-256 of a file, in hexadecimal digits.
func checksumOf(ctx context.Context, path string) (sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash, piece := sha256.New(), make([]byte, 1<<20)
	for {
		n, err := f.Read(piece)
		hash.Write(piece[:n]) // never fails, as no hash does
		switch {
		case err == io.EOF:
			return hex.EncodeToString(hash.Sum(nil)), nil
		case err != nil:
			return "", err
		case ctx.Err() != nil:
			return "", ctx.Err()
		}
	}
}

// checksumLine is what sha256sum prints for a file, so that sha256sum -c can be
// asked too. It writes a name with line breaks in it behind a backslash.
func checksumLine(sum, name string) string {
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
	if escaped != name {
		sum = `\` + sum
	}
	return sum + "  " + escaped + "\n"
}

var checksumForm = regexp.MustCompile(`^\\?([0-9a-fA-F]{64}) [ *][^\n]+\n?$`)

// readChecksum reads the checksum beside a file; empty where there is none. The
// name in it does not count: files are renamed with their checksums.
func readChecksum(file string) (string, error) {
	path := file + checksumEnding
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	found := checksumForm.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("%s is not one line as sha256sum prints it: put back the one that belongs to the backup, or move it away", path)
	}
	return strings.ToLower(string(found[1])), nil
}

// compareChecksum reports whether there is a checksum beside a file. One that is
// not the file's is an error.
func compareChecksum(ctx context.Context, file string) (there bool, err error) {
	want, err := readChecksum(file)
	if err != nil || want == "" {
		return false, err
	}
	got, err := checksumOf(ctx, file)
	if err != nil {
		return false, err
	}
	if got != want {
		return false, fmt.Errorf("the backup was changed or damaged after it was made: it is not the file that %[1]s%[2]s was written for; take another backup; "+
			"if there is none, move %[1]s%[2]s away, and this one is restored as far as all else in it proves sound", file, checksumEnding)
	}
	return true, nil
}

// removeLoneChecksum makes room for the checksum of a file that is not there.
// What was killed between the two has left it; what is none stays, and is
// refused.
func removeLoneChecksum(file string) error {
	path := file + checksumEnding
	refused := vacant(path)
	if refused == nil {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil || !checksumForm.Match(text) || !bytes.HasSuffix(text, []byte(strings.TrimPrefix(checksumLine("", filepath.Base(file)), `\`))) {
		return refused
	}
	return os.Remove(path)
}

// addChecksum writes the checksum of a draft beside it, for the name that the
// draft is for.
func (d *draft) addChecksum(ctx context.Context) (*draft, error) {
	sum, err := checksumOf(ctx, d.path)
	if err != nil {
		return nil, err
	}
	c := &draft{path: d.path + checksumEnding, final: d.final + checksumEnding}
	return c, os.WriteFile(c.path, []byte(checksumLine(sum, filepath.Base(d.final))), 0o600)
}

// RemoveBackup removes a backup and its checksum. That either is gone already is
// no error.
func RemoveBackup(file string) error {
	for _, path := range []string{file, file + checksumEnding} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
