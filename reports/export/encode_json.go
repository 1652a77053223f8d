package export

import (
	"bufio"
	"encoding/json"
	"fmt"
)

// jsonObject writes a row as an object whose members are in the order of the columns.
// Decimals are strings, because most programs read a JSON number as a float.
type jsonObject struct {
	headings []heading
	names    []string // {"name": or ,"name":
	clocks   []clock  // of each column
}

func newJSONObject(headings []heading) jsonObject {
	o := jsonObject{headings: headings, clocks: make([]clock, len(headings))}
	for i, h := range headings {
		before := `,"`
		if i == 0 {
			before = `{"`
		}
		o.names = append(o.names, before+h.name+`":`)
	}
	return o
}

func (o *jsonObject) append(b []byte, cells []cell) ([]byte, error) {
	for i, c := range cells {
		b = append(b, o.names[i]...)
		kind := o.headings[i].kind
		switch {
		case c.unknown():
			b = append(b, "null"...)
		case kind == integerCell || kind == boolCell:
			b = c.append(b, kind, &o.clocks[i])
		case c.known || kind == decimalCell:
			b = append(c.append(append(b, '"'), kind, &o.clocks[i]), '"')
		default:
			text, err := json.Marshal(c.text)
			if err != nil {
				return b, err
			}
			b = append(b, text...)
		}
	}
	return append(b, '}'), nil
}

// jsonlEncoder writes one object per line.
type jsonlEncoder struct {
	out    *bufio.Writer
	object jsonObject
	line   []byte
}

func (e *jsonlEncoder) row(cells []cell) (err error) {
	if e.line, err = e.object.append(e.line[:0], cells); err != nil {
		return err
	}
	e.line = append(e.line, '\n')
	_, err = e.out.Write(e.line)
	return err
}

func (*jsonlEncoder) end(RowTally) error { return nil }
func (*jsonlEncoder) close() error       { return nil }

// jsonEncoder writes one object: the facts of the export, its columns, its rows one per
// line, and at the end their number and sums. A truncated file is not valid JSON.
type jsonEncoder struct {
	out    *bufio.Writer
	object jsonObject
	line   []byte
	rows   int
	next   func() string // of a part of a table; nil: the table is whole
}

// PageTail is the end of a part of a table. Its count and sums are those of its rows.
type PageTail struct {
	RowTally
	Next *string `json:"next"` // address of the next part; null: this is the last
}

func newJSONEncoder(w *bufio.Writer, headings []heading, facts Metadata) (*jsonEncoder, error) {
	type columnJSON struct {
		Name string   `json:"name"`
		Type cellKind `json:"type"`
	}
	columns := make([]columnJSON, len(headings))
	for i, h := range headings {
		columns[i] = columnJSON{h.name, h.kind}
	}
	head, err := json.Marshal(struct {
		Metadata
		Columns []columnJSON `json:"columns"`
	}{facts, columns})
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(w, "%s,\"rows\":[", head[:len(head)-1])
	return &jsonEncoder{out: w, object: newJSONObject(headings)}, err
}

func (e *jsonEncoder) row(cells []cell) (err error) {
	b := append(e.line[:0], ',', '\n')
	if e.rows == 0 {
		b = append(e.line[:0], '\n')
	}
	e.rows++
	if e.line, err = e.object.append(b, cells); err != nil {
		return err
	}
	_, err = e.out.Write(e.line)
	return err
}

func (e *jsonEncoder) end(summary RowTally) error {
	tail, err := json.Marshal(summary)
	if e.next != nil {
		part := PageTail{RowTally: summary}
		if next := e.next(); next != "" {
			part.Next = &next
		}
		tail, err = json.Marshal(part)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.out, "\n],%s\n", tail[1:])
	return err
}

func (*jsonEncoder) close() error { return nil }
