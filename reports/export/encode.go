package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Format is the file format of an export.
type Format string

// File formats.
const (
	CSV     Format = "csv"     // RFC 4180, header row, CRLF
	XLSX    Format = "xlsx"    // a workbook: a sheet of rows, and one of totals
	JSON    Format = "json"    // one object: facts, columns, rows, totals
	JSONL   Format = "jsonl"   // one object per line
	Parquet Format = "parquet" // Apache Parquet, for warehouses
	ZIP     Format = "zip"     // an evidence pack, which has tables in other formats; no table has this one
)

// ContentType returns the format's media type.
func (f Format) ContentType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case JSONL:
		return "application/jsonl; charset=utf-8"
	case ZIP:
		return "application/zip"
	case Parquet:
		return "application/vnd.apache.parquet"
	}
	return "application/json; charset=utf-8"
}

// encoder writes a table in one format, row by row. The file is complete only after end has
// returned without error. close releases resources, such as temporary files, and is always
// called.
type encoder interface {
	row(cells []cell) error
	end(summary RowTally) error
	close() error
}

func newEncoder(w *bufio.Writer, format Format, headings []heading, facts Metadata) (encoder, error) {
	switch format {
	case CSV:
		return newCSVEncoder(w, headings)
	case XLSX:
		return newXLSXEncoder(w, headings, facts)
	case JSON:
		return newJSONEncoder(w, headings, facts)
	case Parquet:
		return newParquetEncoder(w, headings, facts)
	case JSONL:
		return &jsonlEncoder{out: w, object: newJSONObject(headings)}, nil
	}
	return nil, fmt.Errorf("no such format: %q", format)
}

// Encode writes the whole table and sums it up as it goes. Memory does not grow with its
// length.
func Encode(w io.Writer, format Format, t Table, facts Metadata) (RowTally, error) {
	buffer := bufio.NewWriterSize(w, 64<<10)
	out, err := newEncoder(buffer, format, t.headings, facts)
	if err != nil {
		return RowTally{}, err
	}
	return encode(out, buffer, t)
}

// EncodePage writes a part of a table as JSON. After the last row, next returns what leads to
// the part after it, or nothing.
func EncodePage(w io.Writer, t Table, facts Metadata, next func() string) (RowTally, error) {
	buffer := bufio.NewWriterSize(w, 64<<10)
	out, err := newJSONEncoder(buffer, t.headings, facts)
	if err != nil {
		return RowTally{}, err
	}
	out.next = next
	return encode(out, buffer, t)
}

func encode(out encoder, buffer *bufio.Writer, t Table) (summary RowTally, err error) {
	defer func() {
		if closeErr := out.close(); err == nil {
			err = closeErr
		}
	}()
	sums := newSummer(t.headings)
	for cells, err := range t.rows {
		if err != nil {
			return sums.summary(), err
		}
		if err := sums.add(cells); err != nil {
			return sums.summary(), err
		}
		if err := out.row(cells); err != nil {
			return sums.summary(), fmt.Errorf("writing row %d: %w", sums.rows, err)
		}
	}
	summary = sums.summary()
	if err := out.end(summary); err != nil {
		return summary, fmt.Errorf("writing the end: %w", err)
	}
	return summary, buffer.Flush()
}

// EncodeObject writes a report as one JSON object of its own shape, and sums up the table of
// the same report.
func EncodeObject(w io.Writer, object any, t Table) (RowTally, error) {
	sums := newSummer(t.headings)
	for cells, err := range t.rows {
		if err != nil {
			return sums.summary(), err
		}
		if err := sums.add(cells); err != nil {
			return sums.summary(), err
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return sums.summary(), fmt.Errorf("encoding the report: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return sums.summary(), err
}
