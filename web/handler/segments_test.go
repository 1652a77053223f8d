package handler

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// A page of any texts and shared segments, in any order, is sent compressed and plain as the
// same text: gzip checks its sum and its length.
func TestSegmentedPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var page segmentedPage
		var want bytes.Buffer
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			text := bytes.Repeat([]byte(rapid.StringMatching(`[a-z<>/ é€]{0,40}`).Draw(t, "text")), rapid.IntRange(0, 3000).Draw(t, "times"))
			want.Write(text)
			if rapid.Bool().Draw(t, "own") {
				_, _ = page.Write(text)
				continue
			}
			shared, err := newSegment(text)
			if err != nil {
				t.Fatal(err)
			}
			page.share(shared)
		}
		plain, err := page.text()
		if err != nil || !bytes.Equal(plain, want.Bytes()) {
			t.Fatalf("the plain page has %d bytes instead of %d, %v", len(plain), want.Len(), err)
		}
		compressed, err := page.gzip()
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			t.Fatal(err)
		}
		read, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(read, want.Bytes()) {
			t.Fatalf("the compressed page has %d bytes instead of %d, %v", len(read), want.Len(), err)
		}
	})
}

// A text of a reader is compressed by itself: its size does not tell whether a shared part
// next to it has the same text.
func TestSegmentsTellNothingOfEachOther(t *testing.T) {
	secret := []byte("tz5mFQdXk2vVn0B8sHqUeCzJ1yLwRa7g")
	size := func(shared []byte) int {
		part, err := newSegment(shared)
		if err != nil {
			t.Fatal(err)
		}
		var page segmentedPage
		page.share(part)
		_, _ = page.Write(secret)
		page.share(part)
		compressed, err := page.gzip()
		if err != nil {
			t.Fatal(err)
		}
		return len(compressed) - 2*len(part.deflated)
	}
	if same, other := size(secret), size([]byte("9KcPj3xGbTt6oYhNfWi4uSAlDrEvMq5Z")); same != other {
		t.Errorf("the text of the reader takes %d bytes next to the same text, and %d next to another", same, other)
	}
}

// A compressed text that was cut is an error, never a shorter page.
func TestCutSegment(t *testing.T) {
	part, err := newSegment(bytes.Repeat([]byte("<td>1</td>"), 100))
	if err != nil {
		t.Fatal(err)
	}
	part.deflated = part.deflated[:len(part.deflated)/2]
	if text, err := part.text(); err == nil {
		t.Errorf("a cut segment reads as %q", text)
	}
}
