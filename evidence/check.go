package evidence

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// FaultKind is the kind of a fault of a pack.
type FaultKind string

// Kinds of faults.
const (
	NotZIP           FaultKind = "not a ZIP file"
	FileChanged      FaultKind = "file changed"
	NameUnsafe       FaultKind = "unsafe name"
	NameTwice        FaultKind = "name twice"
	MemberMissing    FaultKind = "member missing"
	MemberExtra      FaultKind = "member extra"
	MemberChanged    FaultKind = "member changed"
	ManifestChanged  FaultKind = "manifest changed"
	SignatureChanged FaultKind = "signature changed"
	SignatureWrong   FaultKind = "signature wrong"
	OtherKey         FaultKind = "other key"
)

// PackFault is a difference between a pack and what was signed.
type PackFault struct {
	Kind FaultKind
	Path string // the member; empty: the file as a whole
	Text string // a sentence without its full stop
}

// PackCheck is what a check found. The manifest is proved only if there are no faults.
type PackCheck struct {
	Manifest Manifest
	Faults   []PackFault
}

// Limits of what a check reads.
const (
	mostMembers   = 1000
	mostDirectory = 1 << 20 // bytes
	mostManifest  = 1 << 20 // bytes
	mostRatio     = 1100    // bytes of content for each byte of the file; deflate gives at most 1032
	endSize       = 22      // bytes of the last part of a ZIP file, which says where its directory is
)

// Check proves that a pack of size bytes is as it was signed. Unless demanded is empty, its
// key must have that fingerprint; otherwise the caller compares the fingerprint of
// Manifest.Key with that of the sender. The error is one of reading; what is wrong with the
// pack is in the result.
func Check(r io.ReaderAt, size int64, demanded Fingerprint) (PackCheck, error) {
	source := &source{r: r, size: size}
	c := &checker{source: source, size: size, demanded: demanded, files: map[string]*zip.File{}}
	c.check()
	return PackCheck{c.manifest, c.faults}, source.err
}

// source keeps an error of reading, which would otherwise pass for a fault of the pack.
type source struct {
	r    io.ReaderAt
	size int64
	err  error
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= s.size { // as a damaged directory may ask for
		return 0, io.EOF
	}
	n, err := s.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

type checker struct {
	source   *source
	size     int64
	demanded Fingerprint
	order    []*zip.File
	files    map[string]*zip.File
	manifest Manifest
	faults   []PackFault
}

func (c *checker) fault(kind FaultKind, path, text string, args ...any) {
	c.faults = append(c.faults, PackFault{kind, path, fmt.Sprintf(text, args...)})
}

func (c *checker) check() {
	if !c.directory() {
		return
	}
	c.names()
	text, ok := c.own(manifestMember, mostManifest)
	if !ok {
		return
	}
	m, err := parseManifest(text)
	if err != nil {
		c.fault(ManifestChanged, manifestMember, "manifest.json was changed: %v", err)
		return
	}
	c.manifest = m
	c.members()
	c.key()
	c.signature(text)
	c.layout()
}

// directory reads the directory of the ZIP file.
func (c *checker) directory() bool {
	if reason := c.unreadable(); reason != "" {
		c.fault(NotZIP, "", "the file is not a ZIP file, or its end was damaged: %s", reason)
		return false
	}
	z, err := zip.NewReader(c.source, c.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		c.fault(NotZIP, "", "the file is not a ZIP file, or its directory was damaged: %v", err)
		return false
	}
	c.order = z.File
	return true
}

// unreadable refuses directories that would need much memory.
func (c *checker) unreadable() string {
	tail := make([]byte, min(c.size, 64<<10+endSize))
	if _, err := c.source.ReadAt(tail, c.size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err.Error()
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < endSize {
		return "the mark of its end is missing"
	}
	end := tail[at:]
	if members, bytes := binary.LittleEndian.Uint16(end[10:]), binary.LittleEndian.Uint32(end[12:]); members > mostMembers || bytes > mostDirectory {
		return fmt.Sprintf("its directory claims %d members in %d bytes, more than a pack has", members, bytes)
	}
	if binary.LittleEndian.Uint32(end[16:]) == 1<<32-1 {
		return "its directory is out of reach"
	}
	return ""
}

// names checks the names of all members, whether or not the manifest has them.
func (c *checker) names() {
	for _, f := range c.order {
		if !safePath(f.Name) {
			c.fault(NameUnsafe, quoted(f.Name), "the name %s is none that a pack uses: unpack this file nowhere", quoted(f.Name))
			continue
		}
		if c.files[f.Name] != nil {
			c.fault(NameTwice, f.Name, "the ZIP file has two members %s: programs that unpack it may show either", f.Name)
			continue
		}
		c.files[f.Name] = f
	}
}

// quoted shows a name of the file, which may hold anything.
func quoted(name string) string {
	if len(name) > 100 {
		name = name[:100]
	}
	return strconv.QuoteToASCII(name)
}

// own reads one of the members that are not in the manifest.
func (c *checker) own(path string, most int64) ([]byte, bool) {
	f := c.files[path]
	if f == nil {
		c.fault(MemberMissing, path, "%s is missing", path)
		return nil, false
	}
	kind := ManifestChanged
	if path == signatureMember {
		kind = SignatureChanged
	}
	r, err := f.Open()
	if err != nil {
		c.fault(FileChanged, path, "%s is not where the directory of the ZIP file says: %v", path, err)
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err = errors.Join(err, r.Close()); err != nil {
		c.fault(kind, path, "%s was changed: it cannot be read: %v", path, err)
		return nil, false
	}
	if int64(len(text)) > most {
		c.fault(kind, path, "%s was changed: it has more than %d bytes", path, most)
		return nil, false
	}
	return text, true
}

// members compares every member with its line of the manifest.
func (c *checker) members() {
	total := int64(0)
	listed := map[string]bool{manifestMember: true, signatureMember: true}
	for _, m := range c.manifest.Members {
		if listed[m.Path] || !safePath(m.Path) {
			c.fault(ManifestChanged, manifestMember, "manifest.json was changed: it lists %s twice, or as no member can be called", quoted(m.Path))
			continue
		}
		listed[m.Path] = true
		if total += m.Bytes; m.Bytes < 0 || total > c.size*mostRatio {
			c.fault(ManifestChanged, manifestMember, "manifest.json was changed: its members have more bytes than a file of %d bytes can hold", c.size)
			return
		}
		c.member(m)
	}
	for _, f := range c.order {
		if !listed[f.Name] && safePath(f.Name) {
			listed[f.Name] = true
			c.fault(MemberExtra, f.Name, "%s was added: manifest.json does not list it", f.Name)
		}
	}
	for i, m := range c.manifest.Members {
		if len(c.faults) == 0 && (i >= len(c.order) || c.order[i].Name != m.Path) {
			c.fault(FileChanged, "", "the members are in another order than manifest.json lists them")
		}
	}
}

func (c *checker) member(m PackMember) {
	f := c.files[m.Path]
	if f == nil {
		c.fault(MemberMissing, m.Path, "%s is missing: manifest.json lists it with %d bytes", m.Path, m.Bytes)
		return
	}
	sum, n, err := c.sum(f, m.Bytes)
	switch {
	case err != nil:
		c.fault(MemberChanged, m.Path, "%s was changed: it cannot be read: %v", m.Path, err)
	case n > m.Bytes:
		c.fault(MemberChanged, m.Path, "%s was changed: it has more bytes than the %d of manifest.json", m.Path, m.Bytes)
	case n < m.Bytes:
		c.fault(MemberChanged, m.Path, "%s was changed: it has %d bytes instead of %d", m.Path, n, m.Bytes)
	case sum != m.SHA256:
		c.fault(MemberChanged, m.Path, "%s was changed: its SHA-256 is %s, and not %s as in manifest.json", m.Path, sum, m.SHA256)
	case c.manifest.Format == compressedFormat:
		c.packed(f, m)
	}
}

// sum adds up a member, of which it reads at most one byte more than it should have.
func (c *checker) sum(f *zip.File, most int64) (sum string, n int64, err error) {
	r, err := f.Open()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	n, err = io.Copy(h, io.LimitReader(r, most+1))
	if n > most {
		err = nil // too many, whatever follows
	}
	return hex.EncodeToString(h.Sum(nil)), n, errors.Join(err, r.Close())
}

// packed compares the compressed bytes of a member of the first format, which can hold more than
// its content.
func (c *checker) packed(f *zip.File, m PackMember) {
	r, err := f.OpenRaw()
	if err != nil {
		c.fault(MemberChanged, m.Path, "%s was changed: it cannot be read: %v", m.Path, err)
		return
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, m.PackedBytes+1))
	if err != nil || n != m.PackedBytes || hex.EncodeToString(h.Sum(nil)) != m.PackedSHA256 {
		c.fault(FileChanged, m.Path, "%s was compressed anew: its content is as it was signed, its bytes in the ZIP file are not", m.Path)
	}
}

// key compares the key of the manifest with that of its own member, and with the demanded one.
func (c *checker) key() {
	if f := c.files[keyMember]; f != nil {
		want := c.manifest.Key.PEM()
		sum := sha256.Sum256(want)
		if got, _, err := c.sum(f, int64(len(want))); err == nil && got != hex.EncodeToString(sum[:]) {
			c.fault(OtherKey, keyMember, "%s is not the key that manifest.json names", keyMember)
		}
	}
	if is := c.manifest.Key.Fingerprint(); c.demanded != "" && is != c.demanded {
		c.fault(OtherKey, "", "the pack was signed with another key than the demanded one: its fingerprint is %s, and not %s", is.Groups(), c.demanded.Groups())
	}
}

func (c *checker) signature(manifest []byte) {
	signature, ok := c.own(signatureMember, mostManifest)
	switch {
	case !ok:
	case len(signature) != ed25519.SignatureSize:
		c.fault(SignatureChanged, signatureMember, "%s was changed: it has %d bytes, and a signature has %d", signatureMember, len(signature), ed25519.SignatureSize)
	case !c.manifest.Key.verify(manifest, signature):
		c.fault(SignatureWrong, signatureMember, "the signature is wrong: manifest.json or manifest.sig was changed, or another key signed than the one that manifest.json names")
	}
}

// layout proves that a file without other faults has nothing besides its members: written once more,
// it is the same.
func (c *checker) layout() {
	if len(c.faults) > 0 {
		return
	}
	written := &comparison{source: c.source}
	err := c.write(written)
	switch {
	case errors.Is(err, errDiffers):
		c.fault(FileChanged, "", "the ZIP file was packed anew, or something is hidden in it: byte %d is not as it was written", written.offset)
	case err != nil:
		c.fault(FileChanged, "", "the ZIP file was packed anew: %v", err)
	case written.offset != c.size:
		c.fault(FileChanged, "", "something is hidden in the ZIP file: %d bytes follow its end", c.size-written.offset)
	}
}

// write writes the members as a pack has them.
func (c *checker) write(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, f := range c.order {
		header := headerOf(f.Name, c.manifest.AsOf)
		if c.manifest.Format == compressedFormat && f.Name != manifestMember && f.Name != signatureMember {
			header.Method, header.Flags = zip.Deflate, header.Flags|sizesFollow
		}
		header.CRC32, header.CompressedSize64, header.UncompressedSize64 = f.CRC32, f.CompressedSize64, f.UncompressedSize64
		to, err := z.CreateRaw(header)
		if err != nil {
			return err
		}
		from, err := f.OpenRaw()
		if err != nil {
			return err
		}
		if _, err := io.Copy(to, from); err != nil {
			return err
		}
	}
	return z.Close()
}

// errDiffers is the error of writing something else than what the file has.
var errDiffers = errors.New("the file has other bytes")

// comparison compares what is written to it with a file.
type comparison struct {
	source *source
	offset int64 // of the first difference, or of what comes next
	buffer []byte
}

func (c *comparison) Write(p []byte) (int, error) {
	c.buffer = slices.Grow(c.buffer[:0], len(p))[:len(p)]
	n, err := c.source.ReadAt(c.buffer, c.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	same := 0
	for same < n && c.buffer[same] == p[same] {
		same++
	}
	if c.offset += int64(same); same < len(p) {
		return same, errDiffers
	}
	return same, nil
}
