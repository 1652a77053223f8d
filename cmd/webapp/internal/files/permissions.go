package files

import (
	"fmt"
	"io/fs"
	"os"
)

// ByOthers are the permission bits for users other than the owner and the group. Group
// access is granted on purpose, for example to make backups.
const ByOthers fs.FileMode = 0o007

// CheckFolder rejects a folder that every user can write to: planted files would be
// mistaken for ours.
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
