package carrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folder is a folder of this machine.
type folder struct{ dir string }

func openFolder(d Destination, s CarrierSettings) (Carrier, error) {
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
	return &folder{d.Path}, nil
}

// Put writes into a file of another name, and renames it once the disk has it.
func (f *folder) Put(ctx context.Context, name string, content io.ReadSeeker, _ int64) (err error) {
	part := filepath.Join(f.dir, partName(name))
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return mended(err)
	}
	_, err = io.Copy(file, &endingReader{ctx, content})
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = os.Rename(part, filepath.Join(f.dir, name))
	}
	if err != nil {
		return mended(errors.Join(err, removed(os.Remove(part))))
	}
	return mended(f.sync())
}

// sync makes a new name survive a power cut.
func (f *folder) sync() error {
	dir, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (f *folder) Remove(_ context.Context, name string) error {
	return mended(removed(os.Remove(filepath.Join(f.dir, name))))
}

// Check asks for the right to write. Of a full disk it knows nothing.
func (f *folder) Check(context.Context) error {
	return mended(mayWrite(f.dir))
}

func (*folder) Close() error { return nil }

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
