package store

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

// What is kept stays within its room, whatever is put there; what was used last
// is still there.
func TestMemoryIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 100 * entryBytes
		r := newRoom(limit)
		for range rapid.IntRange(1, 300).Draw(t, "values") {
			key := rapid.IntRange(0, 50).Draw(t, "key")
			bytes := rapid.Int64Range(0, limit).Draw(t, "bytes")
			r.put(key, 1, key, bytes)
			value, ok := r.get(key, 1)
			if fits := bytes+entryBytes <= limit/2; ok != fits || ok && value != key {
				t.Fatalf("%v (%v) after %d bytes were put", value, ok, bytes)
			}
			var used int64
			for _, e := range r.kept {
				used += e.Value.(*remembered).bytes
			}
			if used != r.used || used > limit || len(r.kept) != r.recent.Len() {
				t.Fatalf("%d bytes of %d values are kept, %d are counted", used, len(r.kept), r.used)
			}
		}
	})
}

// Names take room as well: where there are too many, all begins anew.
func TestMemoryOfNamesIsBounded(t *testing.T) {
	m := newMemory(1<<20, 1<<20)
	for n := range int64(20_000) {
		b, err := newPacker(m.table()).pack(fmt.Sprintf("%d\tSPOT\tUSDT\tdirect\t1\t1\t1\t1\t1\n", n))
		if err != nil {
			t.Fatal(err)
		}
		m.keepBlock(blockVersion{blockID{byUID, block{ofDay, affiliate.Day(n)}, 1, 0}, n}, b)
		if total := m.names.size() + m.blocks.used; total > 1<<20 {
			t.Fatalf("%d bytes are kept", total)
		}
	}
}

// Another version is never found.
func TestMemoryTellsVersionsApart(t *testing.T) {
	r := newRoom(1 << 20)
	r.put("answer", 1, "old", 10)
	if value, ok := r.get("answer", 2); ok {
		t.Errorf("version 2 is %v", value)
	}
	r.put("answer", 2, "new", 10)
	if value, ok := r.get("answer", 1); ok {
		t.Errorf("version 1 is %v", value)
	}
}

// A packed block adds up to what its text says, to the last digit, whatever
// numbers stand there.
func TestPackedBlockEqualsItsText(t *testing.T) {
	number := rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9]{1,8})?`), rapid.StringMatching(`-?[0-9]{1,38}(\.[0-9]{1,18})?`),
		rapid.SampledFrom([]string{"0", "4294967294", "4294967295", "4294967296", "-1", "9223372036854775807", "-9223372036854775808", "0.000000000000000001"}))
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for n := range rapid.IntRange(0, 60).Draw(t, "names") {
			for kind := range rapid.IntRange(1, 3).Draw(t, "kinds") {
				k := lineKey{fmt.Sprintf("%03d\t\\%d", n, n), lineKind{"SPOT", affiliate.Coin(fmt.Sprint("C", kind)), "direct"}}
				text := k.text() + fmt.Sprint(rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64()).Draw(t, "records"))
				for range 4 {
					text += "\t" + number.Draw(t, "number")
				}
				lines = append(lines, text+"\n")
			}
		}
		slices.Sort(lines)
		checkPacked(t, strings.Join(lines, ""))
	})
}

func checkPacked(t *rapid.T, text string) {
	b, err := newPacker(newNameTable()).pack(text)
	if err != nil {
		t.Fatal(err)
	}
	var packed, read []string
	var l line
	for own := range eachLine(text) {
		var s sums
		if err := l.parse(own); err != nil {
			t.Fatal(err)
		}
		if err := s.addFigures(l.figures); err != nil {
			t.Fatal(err)
		}
		read = append(read, string(appendFigures([]byte(l.text()), &s)))
	}
	q := blockQuestion{}
	e := entry{}
	err = q.eachPacked(&e, b, func(e *entry) error {
		var s sums
		err := e.addTo(&s)
		packed = append(packed, string(appendFigures([]byte(e.text()), &s)))
		return err
	})
	if err != nil || !slices.Equal(packed, read) {
		t.Fatalf("packed %q, the text says %q (%v)", packed, read, err)
	}
}

// What is no number is refused, packed as unpacked.
func TestPackingRefusesWhatIsNoNumber(t *testing.T) {
	for _, bad := range []string{"1e5", ".5", "5.", "-", "1.2.3", "NaN", "--1"} {
		text := "1\tSPOT\tUSDT\tdirect\t1\t1\t" + bad + "\t1\t1\n"
		if b, err := newPacker(newNameTable()).pack(text); err == nil {
			t.Errorf("%q was packed as %+v", bad, b.commission)
		}
	}
}

// What is counted is about what is taken, or the bounds would mean nothing.
func TestMemoryCountsWhatItTakes(t *testing.T) {
	heap := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	texts := make([]string, 300)
	for day := range texts {
		var text strings.Builder
		for n := range 400 {
			for _, product := range []string{"FUTURES", "SPOT"} {
				fmt.Fprintf(&text, "%d\t%s\tUSDT\tdirect\t%d\t%d.%06d\t0.%08d\t%d.5\t%d.25\n", 4_000_000_000+n*7919, product, n+1, n*day, day, n*day, n*day*1000, n)
			}
		}
		texts[day] = text.String()
	}
	before := heap()
	m := newMemory(roomForBlocks, roomForAnswers)
	packer := newPacker(m.table())
	for day, text := range texts {
		b, err := packer.pack(text)
		if err != nil {
			t.Fatal(err)
		}
		m.keepBlock(blockVersion{blockID{byUID, block{ofDay, affiliate.Day(day)}, 1, 0}, 1}, b)
	}
	packer = nil
	taken, counted := heap()-before, m.names.size()+m.blocks.used
	if len(m.blocks.kept) != len(texts) || taken > counted*5/4 || taken < counted/2 {
		t.Errorf("%d blocks take %d bytes, %d are counted", len(m.blocks.kept), taken, counted)
	}
	runtime.KeepAlive(texts)
}
