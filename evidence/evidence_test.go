package evidence_test

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/evidence"
)

var closed = time.Date(2026, 11, 5, 10, 0, 1, 234e6, time.UTC)

func keyOf(t *testing.T, first byte) evidence.SigningKey {
	t.Helper()
	key, err := evidence.SigningKeyOf(append([]byte{first}, make([]byte, evidence.SeedSize-1)...))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

type content struct{ path, text string }

var contents = []content{
	{"README.txt", "What this is, and how to check it.\n"},
	{"records.csv", "time,commission\r\n" + strings.Repeat("2026-10-03T08:15:00.000Z,0.25\r\n", 40)},
	{"letter/letter.txt", "Dear Sir or Madam,\n"},
}

// written makes a pack of these contents.
func written(t *testing.T, key evidence.SigningKey, list []content) []byte {
	t.Helper()
	var out bytes.Buffer
	p, err := evidence.NewPack(&out, evidence.PackSubject{Kind: evidence.MonthPack, Subject: "2026-10", AsOf: closed}, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Release(); err != nil {
			t.Error(err)
		}
	})
	for _, c := range list {
		w, err := p.Create(c.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range strings.SplitAfter(c.text, "\n") {
			if _, err := io.WriteString(w, piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func checked(t *testing.T, pack []byte, demanded evidence.Fingerprint) evidence.PackCheck {
	t.Helper()
	result, err := evidence.Check(bytes.NewReader(pack), int64(len(pack)), demanded)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// kinds lists the faults as "kind: member".
func kinds(r evidence.PackCheck) (list []string) {
	for _, f := range r.Faults {
		list = append(list, string(f.Kind)+": "+f.Path)
	}
	return list
}

// A pack has no fault, other programs read it, and it is the same when it is made again.
func TestPack(t *testing.T) {
	key := keyOf(t, 1)
	pack := written(t, key, contents)
	if !bytes.Equal(pack, written(t, key, contents)) {
		t.Error("made again, the bytes differ")
	}
	result := checked(t, pack, key.Public().Fingerprint())
	if len(result.Faults) > 0 {
		t.Fatalf("faults of a sound pack: %v", result.Faults)
	}
	m := result.Manifest
	if m.Subject != "2026-10" || m.Kind != evidence.MonthPack || !m.AsOf.Equal(closed) || m.Key != key.Public() || len(m.Members) != len(contents)+1 {
		t.Errorf("the manifest is %+v", m)
	}
	z, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range contents {
		f := z.File[i]
		text, err := readMember(f)
		if err != nil || text != c.text || f.Name != c.path {
			t.Errorf("%s is %q, %v", f.Name, text, err)
		}
		if at := f.Modified.UTC(); !at.Equal(closed.Truncate(2 * time.Second)) {
			t.Errorf("%s is of %s", f.Name, at)
		}
		if mode := f.Mode(); mode != 0o644 {
			t.Errorf("%s has the mode %s", f.Name, mode)
		}
		if f.Method != zip.Store || f.Flags&(1<<3) != 0 {
			t.Errorf("%s is compressed, or has its size behind it", f.Name)
		}
	}
	other := checked(t, pack, keyOf(t, 2).Public().Fingerprint())
	if got := kinds(other); !slices.Equal(got, []string{"other key: "}) {
		t.Errorf("with another key demanded: %v", other.Faults)
	}
}

func readMember(f *zip.File) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), errors.Join(err, r.Close())
}

// compressed is a pack of the first format, as an earlier version wrote it.
func compressed(t *testing.T) []byte {
	t.Helper()
	pack, err := os.ReadFile("testdata/format-1.zip")
	if err != nil {
		t.Fatal(err)
	}
	return pack
}

// A pack that was sent before members were stored stays valid.
func TestEarlierPack(t *testing.T) {
	key := keyOf(t, 1)
	result := checked(t, compressed(t), key.Public().Fingerprint())
	if len(result.Faults) > 0 || len(result.Manifest.Members) != len(contents)+1 || !result.Manifest.AsOf.Equal(closed) {
		t.Errorf("%+v", result)
	}
	if got := kinds(checked(t, compressed(t), keyOf(t, 2).Public().Fingerprint())); !slices.Equal(got, []string{"other key: "}) {
		t.Errorf("with another key demanded: %v", got)
	}
	anew := repacked(t, compressed(t), func(list []content) []content { return list })
	want := []string{"file changed: README.txt", "file changed: records.csv", "file changed: letter/letter.txt", "file changed: public-key.pem"}
	if got := kinds(checked(t, anew, "")); !slices.Equal(got, want) {
		t.Errorf("packed anew: %v", got)
	}
}

// No byte of a pack can be changed, and no end of it cut off, without a fault with a text.
func TestEveryByteCounts(t *testing.T) {
	for format, pack := range map[string][]byte{"stored": written(t, keyOf(t, 1), contents), "compressed": compressed(t)} {
		for i := range pack {
			for _, bits := range []byte{0x01, 0x20, 0xff} {
				changed := bytes.Clone(pack)
				changed[i] ^= bits
				result := checked(t, changed, "")
				if len(result.Faults) == 0 || result.Faults[0].Text == "" {
					t.Fatalf("%s: byte %d of %d, with the bits %x: nothing is found", format, i, len(pack), bits)
				}
			}
			if len(checked(t, pack[:i], "").Faults) == 0 {
				t.Fatalf("%s: cut after %d of %d bytes: nothing is found", format, i, len(pack))
			}
		}
		t.Logf("%s: %d bytes", format, len(pack))
	}
}

// repacked unpacks a pack, lets change alter its members, and packs them as the pack was.
func repacked(t *testing.T, pack []byte, change func([]content) []content) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	var list []content
	for _, f := range z.File {
		text, err := readMember(f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, content{f.Name, text})
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, c := range change(list) {
		header := z.File[len(z.File)-1].FileHeader
		header.Name, header.CRC32 = c.path, crc32.ChecksumIEEE([]byte(c.text))
		header.CompressedSize64, header.UncompressedSize64 = uint64(len(c.text)), uint64(len(c.text))
		to, err := w.CreateRaw(&header)
		if err == nil && !strings.HasSuffix(c.path, "/") {
			_, err = io.WriteString(to, c.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// compressedAnew packs the members as other programs do.
func compressedAnew(t *testing.T, pack []byte, change func([]content) []content) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	repacked(t, pack, func(list []content) []content {
		for _, c := range change(list) {
			to, err := w.Create(c.path)
			if err == nil {
				_, err = io.WriteString(to, c.text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return nil
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// edit changes the text of one member.
func edit(path string, change func(string) string) func([]content) []content {
	return func(list []content) []content {
		for i := range list {
			if list[i].path == path {
				list[i].text = change(list[i].text)
			}
		}
		return list
	}
}

func replace(before, after string) func(string) string {
	return func(text string) string { return strings.Replace(text, before, after, 1) }
}

// Each kind of tampering is found and named, also if all checksums of the ZIP file fit.
func TestTampering(t *testing.T) {
	key := keyOf(t, 1)
	pack := written(t, key, contents)
	stranger := written(t, keyOf(t, 2), contents)
	manifestOf := func(pack []byte) (text, signature string) {
		repacked(t, pack, func(list []content) []content {
			text, signature = list[len(list)-2].text, list[len(list)-1].text
			return list
		})
		return text, signature
	}
	otherManifest, otherSignature := manifestOf(stranger)
	for name, c := range map[string]struct {
		change func([]content) []content
		want   []string
	}{
		"nothing":           {func(list []content) []content { return list }, nil},
		"a member":          {edit("records.csv", replace("0.25", "0.26")), []string{"member changed: records.csv"}},
		"a longer member":   {edit("README.txt", func(s string) string { return s + "\n" }), []string{"member changed: README.txt"}},
		"a shorter member":  {edit("README.txt", func(s string) string { return s[1:] }), []string{"member changed: README.txt"}},
		"a missing member":  {func(list []content) []content { return list[1:] }, []string{"member missing: README.txt"}},
		"a renamed member":  {func(list []content) []content { list[0].path = "READ.txt"; return list }, []string{"member missing: README.txt", "member extra: READ.txt"}},
		"an extra member":   {func(list []content) []content { return append([]content{{"more.csv", "a\r\n"}}, list...) }, []string{"member extra: more.csv"}},
		"a name twice":      {func(list []content) []content { return append(list, content{"README.txt", "b"}) }, []string{"name twice: README.txt"}},
		"a way out":         {func(list []content) []content { return append(list, content{"../../etc/cron.d/x", "b"}) }, []string{`unsafe name: "../../etc/cron.d/x"`}},
		"an absolute name":  {func(list []content) []content { return append(list, content{"/etc/passwd", "b"}) }, []string{`unsafe name: "/etc/passwd"`}},
		"a folder":          {func(list []content) []content { return append(list, content{"more/", ""}) }, []string{`unsafe name: "more/"`}},
		"a drive":           {func(list []content) []content { return append(list, content{`C:\x`, "b"}) }, []string{`unsafe name: "C:\\x"`}},
		"another order":     {func(list []content) []content { list[0], list[1] = list[1], list[0]; return list }, []string{"file changed: "}},
		"the subject":       {edit("manifest.json", replace("2026-10", "2026-09")), []string{"signature wrong: manifest.sig"}},
		"the instant":       {edit("manifest.json", replace("10:00:01.234", "10:00:01.235")), []string{"signature wrong: manifest.sig"}},
		"blanks":            {edit("manifest.json", replace("{", "{ ")), []string{"manifest changed: manifest.json"}},
		"no manifest":       {func(list []content) []content { return append(list[:len(list)-2:len(list)-2], list[len(list)-1]) }, []string{"member missing: manifest.json"}},
		"a broken manifest": {edit("manifest.json", func(string) string { return "{}" }), []string{"manifest changed: manifest.json"}},
		"a newer manifest":  {edit("manifest.json", replace("pack 2", "pack 3")), []string{"manifest changed: manifest.json"}},
		"an older manifest": {edit("manifest.json", replace("pack 2", "pack 1")), []string{"manifest changed: manifest.json"}},
		"no signature":      {func(list []content) []content { return list[:len(list)-1] }, []string{"member missing: manifest.sig"}},
		"a short signature": {edit("manifest.sig", func(s string) string { return s[:63] }), []string{"signature changed: manifest.sig"}},
		"a signature":       {edit("manifest.sig", func(s string) string { return string([]byte{s[0] ^ 1}) + s[1:] }), []string{"signature wrong: manifest.sig"}},
		"another signer":    {edit("manifest.sig", func(string) string { return otherSignature }), []string{"signature wrong: manifest.sig"}},
		"another key":       {edit("public-key.pem", func(string) string { return string(keyOf(t, 2).Public().PEM()) }), []string{"member changed: public-key.pem", "other key: public-key.pem"}},
		"another manifest": {func(list []content) []content {
			list[len(list)-2].text, list[len(list)-1].text = otherManifest, otherSignature
			return list
		}, []string{"member changed: public-key.pem", "other key: public-key.pem"}},
		"a member and its sum": {func(list []content) []content {
			list = edit("README.txt", replace("What", "That"))(list)
			var out []content
			repacked(t, written(t, key, list[:3]), func(all []content) []content { out = all; return all })
			list[len(list)-2] = out[len(out)-2]
			return list
		}, []string{"signature wrong: manifest.sig"}},
	} {
		result := checked(t, repacked(t, pack, c.change), "")
		if got := kinds(result); !slices.Equal(got, c.want) {
			t.Errorf("%s changed: %v, want %v\n%v", name, got, c.want, result.Faults)
		}
	}
	// A pack that someone else made and signed is sound. Only the demanded key tells.
	if got := kinds(checked(t, stranger, "")); len(got) > 0 {
		t.Errorf("a stranger's pack: %v", got)
	}
	if got := kinds(checked(t, stranger, key.Public().Fingerprint())); !slices.Equal(got, []string{"other key: "}) {
		t.Errorf("a stranger's pack, with our key demanded: %v", got)
	}
}

// What is hidden beside the members is found, though other programs unpack such a file
// without a word.
func TestHiddenBytes(t *testing.T) {
	pack := written(t, keyOf(t, 1), contents)
	end := len(pack) - endSize
	directory := int(binary.LittleEndian.Uint32(pack[end+16:]))
	// put inserts bytes and moves the directory as far as it must be.
	put := func(at int, hidden string) []byte {
		changed := slices.Concat(pack[:at], []byte(hidden), pack[at:])
		if at <= directory {
			binary.LittleEndian.PutUint32(changed[end+len(hidden)+16:], uint32(directory+len(hidden)))
		}
		return changed
	}
	withComment := append(bytes.Clone(pack), "comment"...)
	binary.LittleEndian.PutUint16(withComment[end+20:], 7)
	header := bytes.Clone(pack)
	copy(header[30:], "readme.txt") // the name before the member, not that of the directory
	for name, changed := range map[string][]byte{
		"before the first member":   slices.Concat([]byte("#!/bin/sh\n"), pack),
		"moved by bytes in front":   put(0, "#!/bin/sh\n"),
		"before the directory":      put(directory, "hidden"),
		"before the end":            put(end, "hidden"),
		"after the end":             slices.Concat(pack, []byte("hidden")),
		"as a comment":              withComment,
		"another name at a member":  header,
		"two packs in one file":     slices.Concat(pack, pack),
		"packed by another program": compressedAnew(t, pack, func(list []content) []content { return list }),
	} {
		result := checked(t, changed, "")
		if len(result.Faults) == 0 {
			t.Errorf("%s: nothing is found", name)
			continue
		}
		for _, f := range result.Faults {
			if f.Kind != evidence.FileChanged && f.Kind != evidence.NotZIP {
				t.Errorf("%s: %v", name, result.Faults)
			}
		}
	}
}

// endSize is the length of the last part of a ZIP file without a comment.
const endSize = 22

// Files that are no packs are refused without reading what they claim to hold.
func TestNoPacks(t *testing.T) {
	pack := written(t, keyOf(t, 1), contents)
	many := bytes.Clone(pack)
	binary.LittleEndian.PutUint16(many[len(many)-12:], 65_000)
	large := bytes.Clone(pack)
	binary.LittleEndian.PutUint32(large[len(large)-10:], 1<<31)
	beyond := bytes.Clone(pack) // as ZIP64 says that the directory is elsewhere
	binary.LittleEndian.PutUint32(beyond[len(beyond)-6:], 1<<32-1)
	for name, file := range map[string][]byte{
		"empty": {}, "text": []byte(strings.Repeat("text ", 1000)), "many members": many, "a large directory": large, "ZIP64": beyond,
	} {
		if got := kinds(checked(t, file, "")); !slices.Equal(got, []string{"not a ZIP file: "}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	// A link, and a member that claims to be encrypted, are told, and nothing is followed.
	for name, change := range map[string]func(*zip.FileHeader){
		"a link":    func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) },
		"encrypted": func(h *zip.FileHeader) { h.Flags |= 1 },
	} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		z, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			header := f.FileHeader
			change(&header)
			to, err := w.CreateRaw(&header)
			if err != nil {
				t.Fatal(err)
			}
			from, err := f.OpenRaw()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(to, from); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := kinds(checked(t, out.Bytes(), "")); !slices.Equal(got, []string{"file changed: "}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	// A bomb: a member that unpacks to far more than the manifest says is read only so far.
	bomb := compressedAnew(t, pack, edit("records.csv", func(string) string { return strings.Repeat("0", 50_000_000) }))
	if got := kinds(checked(t, bomb, "")); !slices.Equal(got, []string{"member changed: records.csv"}) {
		t.Errorf("a bomb: %v", got)
	}
	reads := int64(0)
	result, err := evidence.Check(readerFunc(func(p []byte, off int64) (int, error) {
		n, err := bytes.NewReader(bomb).ReadAt(p, off)
		reads += int64(n)
		return n, err
	}), int64(len(bomb)), "")
	if err != nil || len(result.Faults) == 0 || reads > 300_000 {
		t.Errorf("a bomb of %d bytes: %d bytes were read, %v", len(bomb), reads, err)
	}
	// An error of reading is no fault of the pack.
	broken := errors.New("the disk is broken")
	if _, err := evidence.Check(readerFunc(func([]byte, int64) (int, error) { return 0, broken }), 5000, ""); !errors.Is(err, broken) {
		t.Errorf("with a broken disk: %v", err)
	}
}

type readerFunc func([]byte, int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// A member cannot have a name that the check refuses.
func TestNamesOfMembers(t *testing.T) {
	p, err := evidence.NewPack(io.Discard, evidence.PackSubject{Kind: evidence.MonthPack, Subject: "2026-10", AsOf: closed}, keyOf(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Release(); err != nil {
			t.Error(err)
		}
	}()
	if err := p.Add("a.csv", nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "a.csv", "/a", "a//b", "../a", "a/../b", "a b", "ä", "a\\b", "manifest.json", "manifest.sig", ".a"} {
		if err := p.Add(path, nil); err == nil {
			t.Errorf("%q is taken", path)
		}
	}
	if _, err := evidence.NewPack(io.Discard, evidence.PackSubject{Subject: "\"\n"}, keyOf(t, 1)); err == nil {
		t.Error("a subject with a line end is taken")
	}
}

// A key prints nothing of its secret, and its fingerprint can be typed in any form.
func TestKeys(t *testing.T) {
	key := keyOf(t, 7)
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%d"} {
		if printed := fmt.Sprintf(verb, key); strings.Contains(printed, "7, 0") || strings.Contains(printed, "0700") || strings.Contains(printed, "7 0 0") {
			t.Errorf("%s prints %s", verb, printed)
		}
	}
	f := key.Public().Fingerprint()
	for _, text := range []string{string(f), strings.ToUpper(string(f)), f.Groups(), strings.ReplaceAll(f.Groups(), " ", ":")} {
		if got, err := evidence.ParseFingerprint(text); err != nil || got != f {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "12", string(f)[1:], string(f) + "0", "x" + string(f)[1:]} {
		if _, err := evidence.ParseFingerprint(text); err == nil {
			t.Errorf("%q is taken for a fingerprint", text)
		}
	}
	if _, err := evidence.SigningKeyOf([]byte("short")); err == nil {
		t.Error("a short secret is taken")
	}
	public, err := evidence.ParsePublicKey(key.Public().Text())
	if err != nil || public != key.Public() || len(public) != ed25519.PublicKeySize {
		t.Errorf("the key comes back as %q, %v", public, err)
	}
	seed := evidence.NewSeed()
	if len(seed) != evidence.SeedSize || crc32.ChecksumIEEE(seed) == crc32.ChecksumIEEE(evidence.NewSeed()) {
		t.Error("two new secrets are the same")
	}
}
