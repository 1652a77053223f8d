package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"rebatedesk/archive"
)

// PackWriter writes a pack, member by member.
type PackWriter struct {
	zip      *archive.Writer
	key      SigningKey
	manifest Manifest
	open     *memberSum
}

// memberSum is a member that is being written.
type memberSum struct {
	w   io.Writer
	sum hash.Hash
}

func (m *memberSum) Write(p []byte) (int, error) {
	m.sum.Write(p) // never fails: no hash does
	return m.w.Write(p)
}

// NewPack begins a pack that the key signs.
func NewPack(w io.Writer, subject PackSubject, key SigningKey) (*PackWriter, error) {
	if !plainText(subject.Subject) || !plainText(string(subject.Kind)) {
		return nil, fmt.Errorf("the subject %q of a pack is not printable ASCII", subject.Subject)
	}
	return &PackWriter{zip: archive.NewWriter(w, subject.AsOf), key: key, manifest: Manifest{PackSubject: subject, Key: key.Public()}}, nil
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
	w, err := p.zip.Create(path)
	if err != nil {
		return nil, err
	}
	p.open = &memberSum{w, sha256.New()}
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
	open := p.open
	p.open = nil
	if err := p.zip.Finish(); err != nil {
		return err
	}
	members := p.zip.Members()
	m := members[len(members)-1]
	p.manifest.Members = append(p.manifest.Members, PackMember{
		Path: m.Name, Bytes: m.Size, SHA256: hex.EncodeToString(open.sum.Sum(nil)),
		PackedBytes: m.Packed, PackedSHA256: hex.EncodeToString(m.PackedSum[:]),
	})
	return nil
}

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
	if err := p.zip.Store(manifestMember, text); err != nil {
		return err
	}
	if err := p.zip.Store(signatureMember, p.key.sign(text)); err != nil {
		return err
	}
	return p.zip.Close()
}
