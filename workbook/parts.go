package workbook

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
)

// parts keeps the parts of a workbook in a temporary ZIP file until all of them are written.
type parts struct {
	*zip.Writer
	file *os.File
	at   time.Time // of every part
}

// earliest is the first time that a ZIP file can hold.
var earliest = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// level is where the compressor is fast and its output no larger than at higher costs: level 6 saves
// a twentieth and takes twice as long.
const level = 5

func newParts(at time.Time) (*parts, error) {
	if at = at.UTC(); at.Before(earliest) {
		at = earliest
	}
	file, err := os.CreateTemp("", "rebatedesk-xlsx-*")
	if err != nil {
		return nil, err
	}
	p := &parts{zip.NewWriter(file), file, at}
	p.RegisterCompressor(zip.Deflate, compressor())
	return p, nil
}

// compressor returns one compressor for all parts, since its tables are larger than most of them.
func compressor() zip.Compressor {
	var packer *flate.Writer
	return func(w io.Writer) (_ io.WriteCloser, err error) {
		if packer == nil {
			packer, err = flate.NewWriter(w, level)
			return packer, err
		}
		packer.Reset(w)
		return packer, nil
	}
}

// create begins a part. It ends with the next one, or with the workbook.
func (p *parts) create(name string) (io.Writer, error) {
	return p.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.at})
}

// copyTo writes the workbook: the parts in the order of their names, which is also the order in
// which programs look for them, and with their sizes before them.
func (p *parts) copyTo(to io.Writer) error {
	if err := p.Close(); err != nil {
		return err
	}
	size, err := p.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	written, err := zip.NewReader(p.file, size)
	if err != nil {
		return err
	}
	slices.SortFunc(written.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	packed := zip.NewWriter(to)
	for _, part := range written.File {
		part.Flags &^= sizesFollow
		part.Extra = nil // the time once more
		if err := packed.Copy(part); err != nil {
			return err
		}
	}
	return packed.Close()
}

// sizesFollow is the flag of a part whose sizes are not known before it.
const sizesFollow = 1 << 3

// remove closes and removes the temporary file.
func (p *parts) remove() error { return errors.Join(p.file.Close(), os.Remove(p.file.Name())) }
