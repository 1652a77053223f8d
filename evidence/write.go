package evidence

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"time"
)

// PackWriter writes a pack, member by member. Members are not compressed, so that their bytes depend
// on no compressor. Each waits in a temporary file, because its size and checksum stand before it.
type PackWriter struct {
	zip      *zip.Writer
	written  int64 // bytes of the file so far, about
	waiting  *os.File
	key      SigningKey
	manifest Manifest
	open     *openMember
}

// openMember is a member that is being written.
type openMember struct {
	path string
	w    io.Writer
	size int64
	crc  hash.Hash32
	sum  hash.Hash
}

func (m *openMember) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.size += int64(n)
	m.crc.Write(p[:n]) // neither fails: no hash does
	m.sum.Write(p[:n])
	return n, err
}

// NewPack begins a pack that the key signs. The caller must call [PackWriter.Release] in the end.
func NewPack(w io.Writer, subject PackSubject, key SigningKey) (*PackWriter, error) {
	if !plainText(subject.Subject) || !plainText(string(subject.Kind)) {
		return nil, fmt.Errorf("the subject %q of a pack is not printable ASCII", subject.Subject)
	}
	waiting, err := os.CreateTemp("", "rebatedesk-pack-*")
	if err != nil {
		return nil, fmt.Errorf("making room for a pack: %w", err)
	}
	return &PackWriter{zip: zip.NewWriter(w), waiting: waiting, key: key, manifest: Manifest{Format: formatName, PackSubject: subject, Key: key.Public()}}, nil
}

// Release removes the temporary file, whether or not the pack is complete.
func (p *PackWriter) Release() error {
	return errors.Join(p.waiting.Close(), os.Remove(p.waiting.Name()))
}

// Create begins a member, which ends with the next one or with the pack.
func (p *PackWriter) Create(path string) (io.Writer, error) {
	if err := p.finish(); err != nil {
		return nil, err
	}
	if !safePath(path) || path == manifestMember || path == signatureMember {
		return nil, fmt.Errorf("a member of a pack cannot be called %q", path)
	}
	for _, member := range p.manifest.Members {
		if member.Path == path {
			return nil, fmt.Errorf("a pack has only one member %s", path)
		}
	}
	if err := p.waiting.Truncate(0); err != nil {
		return nil, err
	}
	if _, err := p.waiting.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	p.open = &openMember{path: path, w: p.waiting, crc: crc32.NewIEEE(), sum: sha256.New()}
	return p.open, nil
}

// Add adds a member whose content is known.
func (p *PackWriter) Add(path string, content []byte) error {
	w, err := p.Create(path)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// Listed returns the lines of the manifest so far, with that of the member that was begun
// last.
func (p *PackWriter) Listed() ([]PackMember, error) {
	err := p.finish()
	return p.manifest.Members, err
}

func (p *PackWriter) finish() error {
	if p.open == nil {
		return nil
	}
	m := p.open
	p.open = nil
	if _, err := p.waiting.Seek(0, io.SeekStart); err != nil {
		return err
	}
	p.manifest.Members = append(p.manifest.Members, PackMember{Path: m.path, Bytes: m.size, SHA256: hex.EncodeToString(m.sum.Sum(nil))})
	return p.store(m.path, m.size, m.crc.Sum32(), p.waiting)
}

// store copies a member into the file.
func (p *PackWriter) store(path string, size int64, crc uint32, content io.Reader) error {
	if p.written += size + perMember; p.written > math.MaxUint32 {
		return errors.New("the pack is larger than 4 GiB, which is more than a ZIP file of this kind can hold")
	}
	header := headerOf(path, p.manifest.AsOf)
	header.CRC32, header.UncompressedSize64, header.CompressedSize64 = crc, uint64(size), uint64(size)
	w, err := p.zip.CreateRaw(header)
	if err == nil {
		_, err = io.Copy(w, content)
	}
	return err
}

// perMember is more than what a ZIP file holds of a member besides its content.
const perMember = 1 << 10

// headerOf returns the header of a member, in the form that all packs have: an ordinary file that
// says nothing else of itself, with the time of the pack, to two seconds.
func headerOf(path string, at time.Time) *zip.FileHeader {
	header := &zip.FileHeader{Name: path, Method: zip.Store, Flags: utf8Name, ReaderVersion: version2}
	header.SetMode(0o644)
	header.CreatorVersion |= version2
	if at = at.UTC(); at.Year() < 1980 || at.Year() > 2107 { // years that a ZIP file cannot hold
		at = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	// The other form of the time would be written twice.
	//lint:ignore SA1019 see above
	header.ModifiedDate = uint16((at.Year()-1980)<<9 | int(at.Month())<<5 | at.Day())
	//lint:ignore SA1019 see above
	header.ModifiedTime = uint16(at.Hour()<<11 | at.Minute()<<5 | at.Second()/2)
	return header
}

// Values of headers.
const (
	version2    = 20
	utf8Name    = 1 << 11 // flag
	sizesFollow = 1 << 3  // flag: checksum and sizes are after the content
)

// Close adds key, manifest and signature, and ends the file. It does not close the writer
// below.
func (p *PackWriter) Close() error {
	if err := p.Add(keyMember, p.key.Public().PEM()); err != nil {
		return err
	}
	if err := p.finish(); err != nil {
		return err
	}
	text := p.manifest.text()
	signature := p.key.sign(text)
	if err := p.store(manifestMember, int64(len(text)), crc32.ChecksumIEEE(text), bytes.NewReader(text)); err != nil {
		return err
	}
	if err := p.store(signatureMember, int64(len(signature)), crc32.ChecksumIEEE(signature), bytes.NewReader(signature)); err != nil {
		return err
	}
	return p.zip.Close()
}
