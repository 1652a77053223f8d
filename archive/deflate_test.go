package archive_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/archive"
)

func deflated(t *rapid.T, pieces ...[]byte) []byte {
	var out bytes.Buffer
	d := archive.NewDeflater(&out)
	for _, piece := range pieces {
		if n, err := d.Write(piece); err != nil || n != len(piece) {
			t.Fatalf("%d of %d bytes, %v", n, len(piece), err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What was compressed is read again by the standard library, and the pieces in which it was
// written do not matter.
func TestDeflateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		size := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 300, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537, 140_000}).Draw(t, "size")
		letters := rapid.SampledFrom([]int{1, 2, 10, 256}).Draw(t, "letters")
		random := rand.New(rand.NewPCG(seed, 1))
		plain := make([]byte, size)
		for i := range plain {
			if back := random.IntN(70_000); i > back && random.IntN(3) > 0 {
				plain[i] = plain[i-back] // far matches, and those just out of reach
				continue
			}
			plain[i] = byte(random.IntN(letters))
		}
		cut := 0
		if size > 0 {
			cut = random.IntN(size)
		}
		packed := deflated(t, plain)
		if !bytes.Equal(packed, deflated(t, plain[:cut], nil, plain[cut:])) {
			t.Fatal("the bytes depend on the pieces")
		}
		again, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		if err != nil || !bytes.Equal(again, plain) {
			t.Fatalf("%d bytes of %d come back, %v", len(again), len(plain), err)
		}
	})
}

// The bytes of the compressor are those of its first release. If this test fails, packs
// that are made again differ from those that were sent.
func TestDeflateStaysTheSame(t *testing.T) {
	var out bytes.Buffer
	d := archive.NewDeflater(&out)
	size := 0
	for i := range 20_000 {
		n, err := fmt.Fprintf(d, "2026-10-%02dT08:%02d:00.000Z,main,466777%d,BTCUSDT,%d.%d\r\n", i%28+1, i%60, i*i%9973, i%97, i*7919)
		if err != nil {
			t.Fatal(err)
		}
		size += n
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(out.Bytes())
	if got := hex.EncodeToString(sum[:]); got != golden {
		t.Errorf("%d bytes became %d with the SHA-256 %s, want %s", size, out.Len(), got, golden)
	}
	if out.Len() > size/3 {
		t.Errorf("%d bytes became %d: hardly compressed", size, out.Len())
	}
}

const golden = "ea1275e69e602b23ff440f90618f2bbfd002f254f415b92bf3b90e592c4d1c77"
