package archive

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// LayoutError says where a ZIP file is not as [Writer] writes it.
type LayoutError struct {
	Offset int64
	Where  string // the part of the file, in words
}

func (e *LayoutError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Where) }

// CheckLayout proves that a file consists of these members as [Writer] writes them, and of
// nothing else; it does not look at their content. Otherwise the error is a *[LayoutError] for
// the first difference.
func CheckLayout(r io.ReaderAt, size int64, at time.Time, members []Member) error {
	l, offset := layoutOf(at), int64(0)
	same := func(want []byte, where string) error {
		err := compare(r, size, offset, want, where)
		offset += int64(len(want))
		return err
	}
	for i, m := range members {
		if err := same(l.before(m), where(i, "the header of "+m.Name)); err != nil {
			return err
		}
		if offset += m.Packed; offset > size {
			return &LayoutError{size, "the file ends within " + m.Name}
		}
		if err := same(l.after(m), "the sizes after "+m.Name); err != nil {
			return err
		}
	}
	if err := same(l.directory(members), "the directory at the end"); err != nil {
		return err
	}
	if offset != size {
		return &LayoutError{offset, fmt.Sprintf("%d bytes follow the end", size-offset)}
	}
	return nil
}

func where(i int, header string) string {
	if i == 0 {
		return header + ", with which the file should begin"
	}
	return header
}

func compare(r io.ReaderAt, size, offset int64, want []byte, where string) error {
	got := make([]byte, min(int64(len(want)), max(0, size-offset)))
	if _, err := r.ReadAt(got, offset); err != nil && err != io.EOF {
		return err
	}
	if bytes.Equal(got, want) {
		return nil
	}
	for i := range got {
		if got[i] != want[i] {
			return &LayoutError{offset + int64(i), where + " is not as it was written"}
		}
	}
	return &LayoutError{size, "the file ends within " + where}
}
