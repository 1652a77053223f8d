package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Members that every pack ends with.
const (
	keyMember       = "public-key.pem"
	manifestMember  = "manifest.json"
	signatureMember = "manifest.sig"
)

// Formats of a pack, the first value of its manifest.
const (
	formatName       = "rebatedesk evidence pack 2"
	compressedFormat = "rebatedesk evidence pack 1" // of earlier versions: members are compressed
)

// PackKind says what a pack is about.
type PackKind string

// Kinds of packs.
const (
	MonthPack   PackKind = "month"
	DisputePack PackKind = "dispute"
)

// PackSubject says what a pack contains. Its texts are printable ASCII.
type PackSubject struct {
	Kind    PackKind
	Subject string    // such as 2026-10
	AsOf    time.Time // the instant whose knowledge the pack contains, to a millisecond
}

// Manifest is the content of manifest.json.
type Manifest struct {
	Format string
	PackSubject
	Key     PublicKey
	Members []PackMember
}

// PackMember is a line of a manifest.
type PackMember struct {
	Path         string `json:"path"`
	Bytes        int64  `json:"bytes"`
	SHA256       string `json:"sha256"`
	PackedBytes  int64  `json:"packed_bytes"` // as compressed in the ZIP, only in the first format
	PackedSHA256 string `json:"packed_sha256"`
}

// manifestJSON is a manifest as it is parsed.
type manifestJSON struct {
	Format      string       `json:"format"`
	Kind        PackKind     `json:"kind"`
	Subject     string       `json:"subject"`
	AsOf        string       `json:"as_of"`
	PublicKey   string       `json:"public_key"`
	Fingerprint Fingerprint  `json:"fingerprint"`
	Members     []PackMember `json:"members"`
}

const instantFormat = "2006-01-02T15:04:05.000Z"

// text writes the manifest, with a line for each member, so that simple tools can read it.
func (m Manifest) text() []byte {
	var b bytes.Buffer
	line := func(name, value string) { fmt.Fprintf(&b, "  \"%s\": \"%s\",\n", name, value) }
	b.WriteString("{\n")
	line("format", m.Format)
	line("kind", string(m.Kind))
	line("subject", m.Subject)
	line("as_of", m.AsOf.UTC().Format(instantFormat))
	line("public_key", m.Key.Text())
	line("fingerprint", string(m.Key.Fingerprint()))
	b.WriteString("  \"members\": [")
	for i, member := range m.Members {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n    {\"path\": \"%s\", \"bytes\": %d, \"sha256\": \"%s\"", member.Path, member.Bytes, member.SHA256)
		if m.Format == compressedFormat {
			fmt.Fprintf(&b, ", \"packed_bytes\": %d, \"packed_sha256\": \"%s\"", member.PackedBytes, member.PackedSHA256)
		}
		b.WriteByte('}')
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

// parseManifest parses a manifest, which must be written exactly as [Manifest.text] writes it.
func parseManifest(text []byte) (Manifest, error) {
	var raw manifestJSON
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&raw); err != nil {
		return Manifest{}, fmt.Errorf("it is not the JSON of a manifest: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, errors.New("something follows its end")
	}
	if raw.Format != formatName && raw.Format != compressedFormat {
		return Manifest{}, fmt.Errorf("its format is %s instead of %s; a newer pack needs a newer program", strconv.QuoteToASCII(raw.Format), formatName)
	}
	at, err := time.Parse(instantFormat, raw.AsOf)
	if err != nil {
		return Manifest{}, errors.New("as_of is no instant")
	}
	key, err := ParsePublicKey(raw.PublicKey)
	if err != nil {
		return Manifest{}, fmt.Errorf("public_key %w", err)
	}
	if raw.Fingerprint != key.Fingerprint() {
		return Manifest{}, errors.New("fingerprint is not that of its public_key")
	}
	m := Manifest{raw.Format, PackSubject{raw.Kind, raw.Subject, at}, key, raw.Members}
	if !bytes.Equal(m.text(), text) {
		return Manifest{}, errors.New("it is not written as packs write it")
	}
	return m, nil
}

// safePath reports whether a member may have this path: plain names without a way out
// of the folder into which a pack is unpacked.
func safePath(path string) bool {
	if path == "" || len(path) > 200 {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(r rune) bool {
		return r > '~' || !strings.ContainsRune("-_./", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// plainText reports whether text can stand in a manifest.
func plainText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' })
}
