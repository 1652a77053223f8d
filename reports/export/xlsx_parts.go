package export

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"

	"rebatedesk/archive"
)

// xlsxParts packs the parts of a workbook in the order of their names, so that the same rows
// give the same bytes. The library writes them in an order that changes, so compressed parts
// wait in the folder of the workbook.
type xlsxParts struct {
	out   io.Writer
	dir   string
	parts []*xlsxPart
}

// xlsxPart is a part that waits.
type xlsxPart struct {
	header  zip.FileHeader
	file    *os.File
	deflate *archive.Deflater
}

// Create begins a part. It ends with the next one, or with the workbook.
func (x *xlsxParts) Create(name string) (io.Writer, error) {
	if err := x.finish(); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(x.dir, "part-*")
	if err != nil {
		return nil, err
	}
	part := &xlsxPart{header: zip.FileHeader{Name: name, Method: zip.Deflate}, file: file, deflate: archive.NewDeflater(file)}
	x.parts = append(x.parts, part)
	return part, nil
}

// Write compresses a piece of the part.
func (p *xlsxPart) Write(b []byte) (int, error) {
	p.header.CRC32 = crc32.Update(p.header.CRC32, crc32.IEEETable, b)
	p.header.UncompressedSize64 += uint64(len(b))
	return p.deflate.Write(b)
}

// finish ends the part that was begun last.
func (x *xlsxParts) finish() error {
	if len(x.parts) == 0 {
		return nil
	}
	part := x.parts[len(x.parts)-1]
	if part.deflate == nil {
		return nil
	}
	err := part.deflate.Close()
	part.deflate = nil // its tables are larger than most parts
	if err != nil {
		return err
	}
	size, err := part.file.Seek(0, io.SeekEnd)
	part.header.CompressedSize64 = uint64(size)
	return err
}

// AddFS is a method that the library demands and does not use.
func (x *xlsxParts) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close writes the workbook.
func (x *xlsxParts) Close() error {
	if err := x.finish(); err != nil {
		return err
	}
	slices.SortFunc(x.parts, func(a, b *xlsxPart) int { return cmp.Compare(a.header.Name, b.header.Name) })
	packed := zip.NewWriter(x.out)
	for _, part := range x.parts {
		if err := part.copyTo(packed); err != nil {
			return fmt.Errorf("packing %s: %w", part.header.Name, err)
		}
	}
	return packed.Close()
}

func (p *xlsxPart) copyTo(packed *zip.Writer) error {
	to, err := packed.CreateRaw(&p.header)
	if err != nil {
		return err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(to, p.file)
	return err
}

// release closes the files of the parts, complete or not.
func (x *xlsxParts) release() (err error) {
	for _, part := range x.parts {
		err = errors.Join(err, part.file.Close())
	}
	return err
}
