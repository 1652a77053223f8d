package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"time"
)

// ErrTooLarge is returned for a file that the ZIP format without extensions cannot hold.
var ErrTooLarge = errors.New("is larger than 4 GiB, which is more than a ZIP file of this kind can hold")

// Member describes a member of a ZIP file.
type Member struct {
	Name   string
	CRC    uint32
	Packed int64 // bytes in the file
	Size   int64 // bytes of the content
	Stored bool  // not compressed
	// PackedSum is the SHA-256 of the bytes in the file. Only [Writer.Members] gives it.
	PackedSum [sha256.Size]byte
}

// Writer writes a ZIP file: members in the order of their creation, all with one time, and
// nothing between them.
type Writer struct {
	w       io.Writer
	offset  int64
	layout  layout
	open    *memberWriter
	members []Member
	err     error
}

// NewWriter returns a writer of a ZIP file whose members carry the given time, in UTC and to
// two seconds.
func NewWriter(w io.Writer, at time.Time) *Writer {
	return &Writer{w: w, layout: layoutOf(at)}
}

// Create begins a compressed member. It ends with the next one, or with the file.
func (z *Writer) Create(name string) (io.Writer, error) {
	if err := z.begin(Member{Name: name}); err != nil {
		return nil, err
	}
	z.open = &memberWriter{z: z, member: Member{Name: name}, sum: sha256.New()}
	z.open.deflate = NewDeflater(rawWriter{z.open})
	return z.open, nil
}

// Store adds a member that is not compressed.
func (z *Writer) Store(name string, content []byte) error {
	size := int64(len(content))
	m := Member{Name: name, CRC: crc32.ChecksumIEEE(content), Packed: size, Size: size, Stored: true, PackedSum: sha256.Sum256(content)}
	if err := z.begin(m); err != nil {
		return err
	}
	z.members = append(z.members, m)
	return z.write(content)
}

// Members lists the members that are complete.
func (z *Writer) Members() []Member { return z.members }

// Finish ends the member that is open, so that [Writer.Members] has it.
func (z *Writer) Finish() error {
	if z.open == nil || z.err != nil {
		return z.err
	}
	open := z.open
	z.open = nil
	if err := open.deflate.Close(); err != nil {
		return z.fail(err)
	}
	if open.member.Size > math.MaxUint32 || open.member.Packed > math.MaxUint32 {
		return z.fail(fmt.Errorf("%s %w", open.member.Name, ErrTooLarge))
	}
	open.member.PackedSum = [sha256.Size]byte(open.sum.Sum(nil))
	z.members = append(z.members, open.member)
	return z.write(z.layout.after(open.member))
}

// Close writes the directory. It does not close the writer below.
func (z *Writer) Close() error {
	if err := z.Finish(); err != nil {
		return err
	}
	if z.offset > math.MaxUint32 || len(z.members) > math.MaxUint16 {
		return z.fail(fmt.Errorf("the ZIP file %w", ErrTooLarge))
	}
	return z.write(z.layout.directory(z.members))
}

func (z *Writer) begin(m Member) error {
	if err := z.Finish(); err != nil {
		return err
	}
	if z.offset > math.MaxUint32 || m.Size > math.MaxUint32 {
		return z.fail(fmt.Errorf("the ZIP file %w", ErrTooLarge))
	}
	return z.write(z.layout.before(m))
}

func (z *Writer) write(p []byte) error {
	if z.err != nil {
		return z.err
	}
	n, err := z.w.Write(p)
	z.offset += int64(n)
	if err != nil {
		return z.fail(err)
	}
	return nil
}

func (z *Writer) fail(err error) error {
	z.err = err
	return err
}

// memberWriter compresses a member and adds it up.
type memberWriter struct {
	z       *Writer
	member  Member
	deflate *Deflater
	sum     hash.Hash // of the compressed bytes
}

func (m *memberWriter) Write(p []byte) (int, error) {
	if m.z.open != m {
		return 0, fmt.Errorf("archive: %s is written to after its end", m.member.Name)
	}
	m.member.CRC = crc32.Update(m.member.CRC, crc32.IEEETable, p)
	m.member.Size += int64(len(p))
	return m.deflate.Write(p)
}

// rawWriter takes the compressed bytes of a member.
type rawWriter struct{ m *memberWriter }

func (r rawWriter) Write(p []byte) (int, error) {
	r.m.member.Packed += int64(len(p))
	r.m.sum.Write(p) // never fails: no hash does
	if err := r.m.z.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// EndSize is the length of the last part of a ZIP file, which says where its directory is.
const EndSize = 22

// Values of the headers, which are the same in every file.
const (
	versionNeeded = 20         // deflate
	madeBy        = 3<<8 | 20  // Unix, so that members get a mode
	modes         = 0o100644   // an ordinary file
	utf8Name      = 1 << 11    // flag: the name is UTF-8
	sizesFollow   = 1 << 3     // flag: checksum and sizes are after the content
	localMark     = 0x04034b50 // of the header before a member
	followMark    = 0x08074b50 // of the sizes after a member
	centralMark   = 0x02014b50 // of a line of the directory
	endMark       = 0x06054b50 // of the end of the file
)

// layout makes everything in a ZIP file that is not content.
type layout struct{ day, clock uint16 }

func layoutOf(at time.Time) layout {
	at = at.UTC()
	if at.Year() < 1980 || at.Year() > 2107 {
		at = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return layout{
		day:   uint16((at.Year()-1980)<<9 | int(at.Month())<<5 | at.Day()),
		clock: uint16(at.Hour()<<11 | at.Minute()<<5 | at.Second()/2),
	}
}

// common is what the header before a member and its line of the directory share.
func (l layout) common(b []byte, m Member, crc uint32, packed, size int64) []byte {
	flags, method := uint16(utf8Name|sizesFollow), uint16(8)
	if m.Stored {
		flags, method = utf8Name, 0
	}
	b = binary.LittleEndian.AppendUint16(b, versionNeeded)
	b = binary.LittleEndian.AppendUint16(b, flags)
	b = binary.LittleEndian.AppendUint16(b, method)
	b = binary.LittleEndian.AppendUint16(b, l.clock)
	b = binary.LittleEndian.AppendUint16(b, l.day)
	b = binary.LittleEndian.AppendUint32(b, crc)
	b = binary.LittleEndian.AppendUint32(b, uint32(packed))
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(m.Name)))
	return binary.LittleEndian.AppendUint16(b, 0) // no further fields
}

// before is the header of a member.
func (l layout) before(m Member) []byte {
	b := binary.LittleEndian.AppendUint32(nil, localMark)
	if m.Stored {
		b = l.common(b, m, m.CRC, m.Packed, m.Size)
	} else {
		b = l.common(b, m, 0, 0, 0)
	}
	return append(b, m.Name...)
}

// after is what follows the content of a member.
func (l layout) after(m Member) []byte {
	if m.Stored {
		return nil
	}
	b := binary.LittleEndian.AppendUint32(nil, followMark)
	b = binary.LittleEndian.AppendUint32(b, m.CRC)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Packed))
	return binary.LittleEndian.AppendUint32(b, uint32(m.Size))
}

// directory is what follows the last member.
func (l layout) directory(members []Member) []byte {
	var b []byte
	offset := int64(0)
	for _, m := range members {
		b = binary.LittleEndian.AppendUint32(b, centralMark)
		b = binary.LittleEndian.AppendUint16(b, madeBy)
		b = l.common(b, m, m.CRC, m.Packed, m.Size)
		b = binary.LittleEndian.AppendUint16(b, 0) // no comment
		b = binary.LittleEndian.AppendUint16(b, 0) // the first disk
		b = binary.LittleEndian.AppendUint16(b, 0) // nothing is said of the content
		b = binary.LittleEndian.AppendUint32(b, modes<<16)
		b = binary.LittleEndian.AppendUint32(b, uint32(offset))
		b = append(b, m.Name...)
		offset += int64(len(l.before(m))) + m.Packed + int64(len(l.after(m)))
	}
	size := len(b)
	b = binary.LittleEndian.AppendUint32(b, endMark)
	b = binary.LittleEndian.AppendUint32(b, 0) // one disk
	b = binary.LittleEndian.AppendUint16(b, uint16(len(members)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(members)))
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint32(b, uint32(offset))
	return binary.LittleEndian.AppendUint16(b, 0) // no comment
}
