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

	"rebatedesk/store/audit"
)

// checksumEnding is the suffix of a backup's checksum file.
const checksumEnding = ".sha256"

// checksumOf returns the SHA-256 of a file in hexadecimal digits.
func checksumOf(ctx context.Context, path string) (sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash, piece := sha256.New(), make([]byte, 1<<20)
	for {
		n, err := f.Read(piece)
		hash.Write(piece[:n]) // never fails: no hash does
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

// checksumLine returns the line that sha256sum prints for a file, so that sha256sum -c can
// check it too. sha256sum marks a name that contains line breaks with a leading backslash.
func checksumLine(sum, name string) string {
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
	if escaped != name {
		sum = `\` + sum
	}
	return sum + "  " + escaped + "\n"
}

// checksumForm is the line of sha256sum, and perhaps the anchor of the audit log as a comment, which
// sha256sum -c passes over.
var checksumForm = regexp.MustCompile(`^(\\?([0-9a-fA-F]{64}) [ *][^\n]+\n?)(?:# audit log ([^\n]+)\n)?$`)

// readChecksum reads the checksum file of a file, and returns an empty string if it does
// not exist. The name in it is ignored: files are renamed together with their checksums.
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
	return strings.ToLower(string(found[2])), nil
}

// compareChecksum reports whether a file has a checksum file. A checksum that does not
// match is an error.
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

// removeLoneChecksum makes room for the checksum of a file that does not exist. A process
// killed between the two steps has left it; a file that is not a checksum stays, and is
// refused.
func removeLoneChecksum(file string) error {
	path := file + checksumEnding
	refused := vacant(path)
	if refused == nil {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return refused
	}
	if found := checksumForm.FindSubmatch(text); found == nil || !bytes.HasSuffix(found[1], []byte(strings.TrimPrefix(checksumLine("", filepath.Base(file)), `\`))) {
		return refused
	}
	return os.Remove(path)
}

// anchorOfBackup reads from the checksum file of a backup how far the audit log in it was. found is
// false if the backup is older than that note, or its log was never begun.
func anchorOfBackup(checksum string) (a audit.Anchor, found bool, err error) {
	text, err := audit.ReadKept(checksum)
	if err != nil {
		return a, false, err
	}
	parts := checksumForm.FindSubmatch(text)
	if parts == nil || len(parts[3]) == 0 {
		return a, false, nil
	}
	if a, err = audit.ParseAnchor(string(parts[3])); err != nil {
		return a, false, err
	}
	a.Place, a.Backup = checksum, true
	return a, true, nil
}

// BackupAnchors returns the anchors of the audit log that stand beside the backups of a folder whose
// file names have a prefix, also those that cannot be read. A folder that does not exist has none.
func BackupAnchors(dir, prefix string) (list []audit.Anchor) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		list = append(list, audit.Anchor{Place: dir, Unread: err})
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name, checksumEnding) {
			path := filepath.Join(dir, name)
			a, found, err := anchorOfBackup(path)
			switch {
			case errors.Is(err, fs.ErrNotExist): // removed meanwhile, in favour of a newer one
			case err != nil:
				list = append(list, audit.Anchor{Place: path, Unread: err})
			case found:
				list = append(list, a)
			}
		}
	}
	return list
}

// addChecksum writes the checksum file of a draft, with the final name of the draft, and how far the
// audit log in it is.
func (d *draft) addChecksum(ctx context.Context, anchor string) (*draft, error) {
	sum, err := checksumOf(ctx, d.path)
	if err != nil {
		return nil, err
	}
	c := &draft{path: d.path + checksumEnding, final: d.final + checksumEnding}
	return c, os.WriteFile(c.path, []byte(checksumLine(sum, filepath.Base(d.final))+anchor), 0o600)
}

// RemoveBackup removes a backup and its checksum. It is no error if either is already gone.
func RemoveBackup(file string) error {
	for _, path := range []string{file, file + checksumEnding} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
