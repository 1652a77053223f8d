package tabular

import (
	"context"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var letters = Kind{Noun: "file of letters", Columns: []string{"a", "b", "c"}, Needed: 1, MaxBytes: 1 << 20, MaxRows: 1000}

// rowsOf returns the cells of a file, with the lines on which they begin.
func rowsOf(t rapid.TB, file []byte) (rows [][]string, lines []int, err error) {
	t.Helper()
	err = Read(context.Background(), file, letters, func(r *Row) {
		rows = append(rows, []string{r.Text("a"), r.Text("b"), r.Text("c")})
		lines = append(lines, r.Line)
	})
	return rows, lines, err
}

// Whatever the separator, the ends of lines and the order of columns are, the cells are the same.
func TestEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.Custom(func(t *rapid.T) string {
			return strings.TrimSpace(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"x", ",", ";", "\t", "\"", "'", "=", "\n", "é", "|", "-1"}), 0, 6).Draw(t, "pieces"), ""))
		})
		var want [][]string
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			want = append(want, []string{"x" + cell.Draw(t, "a"), cell.Draw(t, "b"), cell.Draw(t, "c")})
		}
		var text strings.Builder
		out := csv.NewWriter(&text)
		out.Comma = rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(t, "separator")
		if out.Comma == '|' {
			text.WriteString("sep=|\n")
		}
		rows := [][]string{{"c", "B", " a "}}
		for _, row := range want {
			rows = append(rows, []string{guarded(row[2]), guarded(row[1]), guarded(row[0])})
		}
		if err := out.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		file := strings.ReplaceAll(text.String(), "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end"))
		got, _, err := rowsOf(t, []byte(file))
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("%q is read as %q, %v; want %q", file, got, err, want)
		}
	})
}

// What is written is read as the same, and nothing in it is a formula.
func TestWriteText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.Custom(func(t *rapid.T) string {
			return strings.Trim(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"x", ",", ";", "\"", "'", "=", "＋", "\n", "é", "-1", "@"}), 0, 6).Draw(t, "pieces"), ""), "\n")
		})
		var want [][]string
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			want = append(want, []string{"x" + cell.Draw(t, "a"), cell.Draw(t, "b"), cell.Draw(t, "c")})
		}
		var text strings.Builder
		err := WriteText(&text, []string{"a", "b", "c"}, func(yield func([]string) bool) {
			for _, row := range want {
				if !yield(slices.Clone(row)) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := rowsOf(t, []byte(text.String()))
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("%q is read as %q, %v; want %q", text.String(), got, err, want)
		}
		rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		if err != nil || slices.ContainsFunc(slices.Concat(rows...), formulaStart) {
			t.Fatalf("%q has a formula, %v", text.String(), err)
		}
	})
}

// Lines are counted as an editor counts them.
func TestLines(t *testing.T) {
	for text, want := range map[string][]int{
		"a\n1\n2\n":                         {2, 3},
		"a\r\n\r\n1\r\n  \r\n2":             {3, 5},
		"sep=;\ra;b\r1;2\r3;4\r":            {3, 4},
		"a,b\n\"1\nand more\",2\n3,4\n":     {2, 4},
		"a,b\n\"1\r\nand more\",2\r\n,\n3,": {2, 5},
	} {
		_, lines, err := rowsOf(t, []byte(text))
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%q has rows in the lines %v, %v; want %v", text, lines, err, want)
		}
	}
}

// A file of another kind ends the reading early, and each fault has its place.
func TestLimits(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n" + strings.Repeat("1\n", 900):     "and 800 more",
		"a\n" + strings.Repeat("1\n", 1001):      "the file has more than 1000 lines: divide it",
		strings.Repeat("x", 1<<20+1):             "the file is larger than 1 MiB",
		"b\n1\n":                                 "line 1: the column a is missing",
		"a,d\n1,2\n":                             "line 1, column 2 (d): unknown column; a file of letters has a, b, c",
		"a,\n1,\n":                               "line 1, column 2: the column has no name",
		"a\n":                                    "a header and no row below it",
		"\n\n":                                   "line 1: the file is empty",
		"\xff\xfea\x00\n\x00\x00\xd8":            "UTF-16",
		"a" + strings.Repeat(",a", 64) + "\n1\n": "the first line names 65 columns",
		"a\n" + strings.Repeat(",", 5001) + "\n": "line 2 has more than 5000 cells",
		"a,b\n" + strings.Repeat(",\n", 1001) + "1,2\n": "more than 1000 lines without a value",
		"a\n1\x00\n":   "line 2: the line has the character U+0000",
		"a\nü\n\xfc\n": "line 3: character 1 is not UTF-8",
	} {
		if _, _, err := rowsOf(t, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	kind := letters
	kind.MaxRows = 1 << 20
	if err := Read(ended, []byte("a\n"+strings.Repeat("1\n", 5000)), kind, func(*Row) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "sep=;\na;b\n", "\xff\xfea\x00", "a\r\"1\r\n2\"\r"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		_, lines, err := rowsOf(t, file)
		if !slices.IsSorted(lines) {
			t.Errorf("the lines are %v", lines)
		}
		if faults, ok := errors.AsType[Mistakes](err); err != nil && (!ok || len(faults) == 0 || faults.Error() == "") {
			t.Errorf("an error without a fault: %v", err)
		}
	})
}
