package changes

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"rebatedesk/store/records"
)

// runLines is how many lines are sorted in memory. More are sorted in runs of so many, which wait in
// a file. A line takes about 500 bytes in memory.
const runLines = 20_000

// runBuffer is the memory in which the lines of a run are read again, in bytes.
const runBuffer = 16 << 10

// inOrder yields lines in an order. Its memory does not grow with their number, but for a buffer for
// each run.
func inOrder(lines iter.Seq2[*records.Difference, error], compare func(a, b *records.Difference) int, most int) iter.Seq2[*records.Difference, error] {
	return func(yield func(*records.Difference, error) bool) {
		s := sorting{compare: compare}
		err := s.read(lines, most)
		if err == nil {
			err = s.each(func(d *records.Difference) bool { return yield(d, nil) })
		}
		if err = errors.Join(err, s.close()); err != nil {
			yield(nil, err)
		}
	}
}

// sorting is an external merge sort of lines.
type sorting struct {
	compare func(a, b *records.Difference) int
	lines   []*records.Difference // of the newest run
	file    *os.File              // of the runs before; nil: there are none
	ends    []int64               // of these runs, in bytes from the beginning
}

func (s *sorting) read(lines iter.Seq2[*records.Difference, error], most int) error {
	for one, err := range lines {
		if err != nil {
			return err
		}
		if len(s.lines) == most {
			if err := s.putAside(); err != nil {
				return fmt.Errorf("sorting the changes in the folder of temporary files (TMPDIR): %w", err)
			}
		}
		s.lines = append(s.lines, one)
	}
	slices.SortFunc(s.lines, s.compare)
	return nil
}

// putAside writes the newest run into the file.
func (s *sorting) putAside() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "rebatedesk-changes-*"); err != nil {
			return err
		}
		_ = os.Remove(s.file.Name()) // the open file stays; where that is not possible, close removes it
	}
	slices.SortFunc(s.lines, s.compare)
	out := bufio.NewWriterSize(s.file, 256<<10)
	var line, length []byte
	var size int64
	for _, one := range s.lines {
		line = one.AppendBinary(line[:0])
		length = binary.AppendUvarint(length[:0], uint64(len(line)))
		size += int64(len(length) + len(line))
		for _, part := range [][]byte{length, line} {
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
	}
	clear(s.lines)
	s.lines = s.lines[:0]
	if n := len(s.ends); n > 0 {
		size += s.ends[n-1]
	}
	s.ends = append(s.ends, size)
	return out.Flush()
}

// each calls see for each line in order, until see returns false.
func (s *sorting) each(see func(*records.Difference) bool) error {
	merge := merging{compare: s.compare}
	var begin int64
	for n, end := range s.ends {
		merge.runs = append(merge.runs, &sortedRun{number: n, file: bufio.NewReaderSize(io.NewSectionReader(s.file, begin, end-begin), runBuffer)})
		begin = end
	}
	merge.runs = append(merge.runs, &sortedRun{number: len(s.ends), lines: s.lines})
	for i := 0; i < len(merge.runs); {
		more, err := merge.runs[i].next()
		if err != nil {
			return err
		}
		if more {
			i++
		} else {
			merge.runs = slices.Delete(merge.runs, i, i+1)
		}
	}
	heap.Init(&merge)
	for len(merge.runs) > 0 {
		run := merge.runs[0]
		if !see(run.head) {
			return nil
		}
		more, err := run.next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&merge, 0)
		} else {
			heap.Pop(&merge)
		}
	}
	return nil
}

func (s *sorting) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// sortedRun reads the lines of a run, in memory or in the file.
type sortedRun struct {
	number int // in order of time
	head   *records.Difference
	lines  []*records.Difference
	file   *bufio.Reader // nil: the lines are in memory
}

// next sets head to the next line, and returns false after the last.
func (r *sortedRun) next() (bool, error) {
	if r.file == nil {
		if len(r.lines) == 0 {
			return false, nil
		}
		r.head, r.lines = r.lines[0], r.lines[1:]
		return true, nil
	}
	length, err := binary.ReadUvarint(r.file)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err == nil {
		line := make([]byte, length)
		if _, err = io.ReadFull(r.file, line); err == nil {
			r.head, err = records.ParseDifference(string(line))
		}
	}
	if err != nil {
		return false, fmt.Errorf("reading sorted changes: %w", err)
	}
	return true, nil
}

// merging is a heap of runs by their next line.
type merging struct {
	compare func(a, b *records.Difference) int
	runs    []*sortedRun
}

func (m *merging) Len() int { return len(m.runs) }

func (m *merging) Less(i, j int) bool {
	if order := m.compare(m.runs[i].head, m.runs[j].head); order != 0 {
		return order < 0
	}
	return m.runs[i].number < m.runs[j].number
}

func (m *merging) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }

func (m *merging) Push(any) { panic("runs are only taken away") }

func (m *merging) Pop() any {
	last := len(m.runs) - 1
	run := m.runs[last]
	m.runs = m.runs[:last]
	return run
}
