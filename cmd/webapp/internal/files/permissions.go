package files

import (
	"fmt"
	"io/fs"
	"os"
)

// ByOthers are the permissions of those who are neither owner nor of the
// group. A group is given on purpose, such as to the one who makes backups.
const ByOthers fs.FileMode = 0o007

// CheckFolder refuses a folder in which everybody can put files: what is found
// there would be taken for what this program left.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("everybody on this machine can put files into %s: name a folder of your own, or chmod o-w it", dir)
	}
	return nil
}
