package workbook

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"time"

	"rebatedesk/archive"
)

// parts packs the parts of a workbook in the order of their names, which is also the order in
// which programs look for them. Compressed parts wait in a folder.
type parts struct {
	dir  string
	at   time.Time // of every part
	list []*waiting
}

// waiting is a part that waits.
type waiting struct {
	header  zip.FileHeader
	file    *os.File
	deflate *archive.Deflater
}

// earliest is the first time that a ZIP file can hold.
var earliest = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func newParts(dir string, at time.Time) *parts {
	if at = at.UTC(); at.Before(earliest) {
		at = earliest
	}
	return &parts{dir: dir, at: at}
}

// create begins a part. It ends with the next one, or with the workbook.
func (x *parts) create(name string) (io.Writer, error) {
	if err := x.finish(); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(x.dir, "part-*")
	if err != nil {
		return nil, err
	}
	part := &waiting{header: zip.FileHeader{Name: name, Method: zip.Deflate}, file: file, deflate: archive.NewDeflater(file)}
	// A raw header writes no other form of the time.
	//lint:ignore SA1019 see above
	part.header.ModifiedDate = uint16(x.at.Day() + int(x.at.Month())<<5 + (x.at.Year()-1980)<<9)
	//lint:ignore SA1019 see above
	part.header.ModifiedTime = uint16(x.at.Second()/2 + x.at.Minute()<<5 + x.at.Hour()<<11)
	x.list = append(x.list, part)
	return part, nil
}

// Write compresses a piece of the part.
func (p *waiting) Write(b []byte) (int, error) {
	p.header.CRC32 = crc32.Update(p.header.CRC32, crc32.IEEETable, b)
	p.header.UncompressedSize64 += uint64(len(b))
	return p.deflate.Write(b)
}

// finish ends the part that was begun last.
func (x *parts) finish() error {
	if len(x.list) == 0 {
		return nil
	}
	part := x.list[len(x.list)-1]
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

// pack writes the workbook.
func (x *parts) pack(to io.Writer) error {
	if err := x.finish(); err != nil {
		return err
	}
	slices.SortFunc(x.list, func(a, b *waiting) int { return cmp.Compare(a.header.Name, b.header.Name) })
	packed := zip.NewWriter(to)
	for _, part := range x.list {
		if err := part.copyTo(packed); err != nil {
			return fmt.Errorf("packing %s: %w", part.header.Name, err)
		}
	}
	return packed.Close()
}

func (p *waiting) copyTo(packed *zip.Writer) error {
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

// release closes and removes the files of the parts, complete or not.
func (x *parts) release() (err error) {
	for _, part := range x.list {
		err = errors.Join(err, part.file.Close(), os.Remove(part.file.Name()))
	}
	x.list = nil
	return err
}
