package carrier

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// folder is a folder of this machine.
type folder struct {
	dir  string
	root *os.Root // the folder as it was opened: no link leads out of it
	disk func(*os.File) io.Writer
}

func openFolder(d Destination, s Settings) (Carrier, error) {
	if len(s.Folders) > 0 && !d.Within(s.Folders) {
		return nil, fmt.Errorf("the folder %s is not below %s: choose one that is, or add it to DELIVERY_FOLDERS", d.Path, strings.Join(s.Folders, " or "))
	}
	info, err := os.Stat(d.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// It is not made: a folder of a disk that is not mounted would fill the wrong one.
		return nil, fmt.Errorf("the folder %s does not exist: make it, or mount its disk", d.Path)
	case err != nil:
		return nil, mended(err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file: name a folder", d.Path)
	}
	root, err := os.OpenRoot(d.Path)
	if err != nil {
		return nil, mended(err)
	}
	disk := s.Disk
	if disk == nil {
		disk = func(file *os.File) io.Writer { return file }
	}
	return &folder{d.Path, root, disk}, nil
}

// Put writes into a new file of another name, and renames it once the disk has it. Nobody who may
// write into the folder knows that name before.
func (f *folder) Put(ctx context.Context, name string, content io.ReadSeeker, _ int64) (err error) {
	if err := f.tidy(name); err != nil {
		return mended(err)
	}
	part := "." + name + "." + rand.Text() + partEnding
	file, err := f.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return mended(err)
	}
	_, err = io.Copy(f.disk(file), &endingReader{ctx, content})
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = f.root.Rename(part, name)
	}
	if err != nil {
		return mended(errors.Join(err, removed(f.root.Remove(part))))
	}
	return mended(f.sync())
}

// tidy removes what killed processes left of a file. Nobody else writes it: deliveries hold a lease.
func (f *folder) tidy(name string) error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	entries, err := dir.Readdirnames(-1)
	err = errors.Join(err, dir.Close())
	for _, entry := range entries {
		text, ours := strings.CutPrefix(entry, "."+name+".")
		text, part := strings.CutSuffix(text, partEnding)
		if ours && part && len(text) == len(rand.Text()) || entry == partName(name) { // as versions before named it
			err = errors.Join(err, removed(f.root.Remove(entry)))
		}
	}
	return err
}

// sync makes a new name survive a power cut.
func (f *folder) sync() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (f *folder) Remove(_ context.Context, name string) error {
	return mended(removed(f.root.Remove(name)))
}

// Check asks for the right to write. Of a full disk it knows nothing.
func (f *folder) Check(context.Context) error {
	return mended(mayWrite(f.dir))
}

func (f *folder) Close() error { return f.root.Close() }

// removed ignores that a file is not there.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mended adds to an error of the disk what mends it.
func mended(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: make room on this disk; the files that are there stay as they are", err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: this disk can only be read; mount it for writing, or choose another folder", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: let the user of this program write into the folder", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: the folder is gone; make it again, or mount its disk", err)
	}
	return err
}

// endingReader stops reading when its context ends.
type endingReader struct {
	ctx context.Context
	io.Reader
}

func (r *endingReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
