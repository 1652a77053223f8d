package export

import (
	"bufio"
	"fmt"
	"maps"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"rebatedesk/affiliate"
)

const (
	// parquetGroup is the number of rows of a row group. A group waits in memory until it is
	// complete, so this bounds the memory.
	parquetGroup = 32_768
	// parquetBatch is how many rows are handed to the library at once.
	parquetBatch = 256
)

// parquetEncoder writes Parquet: exact decimals, instants in UTC with milliseconds, days as
// dates, ids and text as strings. Unknown values are null. Equal rows and facts give equal
// bytes.
type parquetEncoder struct {
	headings []heading
	writer   *parquet.GenericWriter[any]
	batch    []parquet.Row
	rows     int64
}

func newParquetEncoder(w *bufio.Writer, headings []heading, facts Metadata) (*parquetEncoder, error) {
	root := orderedGroup{Group: parquet.Group{}}
	for _, h := range headings {
		name := strings.ReplaceAll(strings.ToValidUTF8(h.name, "\ufffd"), ",", " ") // the library takes no comma
		if root.Group[name] != nil {
			return nil, fmt.Errorf("two columns are called %q", name)
		}
		root.Group[name] = parquet.Optional(parquetNode(h))
		root.names = append(root.names, name)
	}
	e := &parquetEncoder{headings: headings, batch: make([]parquet.Row, 0, parquetBatch)}
	e.writer = parquet.NewGenericWriter[any](w, parquet.NewSchema("rebatedesk", root), &parquet.WriterConfig{
		CreatedBy: "Rebatedesk", MaxRowsPerRowGroup: parquetGroup, Compression: &snappy.Codec{}, KeyValueMetadata: facts.named(),
	})
	return e, nil
}

// named returns the facts by which the same state can be exported again. When the file was
// written is not among them, so that the same state gives the same bytes.
func (f Metadata) named() map[string]string {
	named := map[string]string{
		"kind": f.Kind, "from": f.From, "to": f.To, "timezone": f.Timezone, "as_of": f.AsOf, "since": f.Since, "until": f.Until,
		"filters": f.Filters, "complete": string(affiliate.FlagOf(f.Complete)),
	}
	maps.DeleteFunc(named, func(_, value string) bool { return value == "" })
	return named
}

// parquetNode returns the type of a column.
func parquetNode(h heading) parquet.Node {
	switch h.kind {
	case integerCell:
		return parquet.Int(64)
	case timeCell:
		return parquet.Timestamp(parquet.Millisecond)
	case dayCell:
		return parquet.Date()
	case boolCell:
		return parquet.Leaf(parquet.BooleanType)
	case decimalCell:
		if !h.fine {
			return parquet.Decimal(affiliate.MostDecimals, decimalDigits, parquet.FixedLenByteArrayType(decimalBytes))
		}
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// orderedGroup keeps the order of the columns; that of a Group is alphabetical.
type orderedGroup struct {
	parquet.Group
	names []string
}

// Fields lists the columns in the order of the table.
func (g orderedGroup) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, field := range g.Group.Fields() {
		byName[field.Name()] = field
	}
	fields := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		fields[i] = byName[name]
	}
	return fields
}

func (e *parquetEncoder) row(cells []cell) error {
	e.rows++
	next := len(e.batch)
	e.batch = e.batch[:next+1]
	row := e.batch[next][:0]
	for i := range cells {
		value, err := parquetValue(e.headings[i], &cells[i])
		if err != nil {
			return fmt.Errorf("the %s of row %d: %w", e.headings[i].name, e.rows, err)
		}
		defined := 1
		if value.IsNull() {
			defined = 0
		}
		row = append(row, value.Level(0, defined, i))
	}
	e.batch[next] = row
	if len(e.batch) < cap(e.batch) {
		return nil
	}
	return e.flush()
}

// flush hands the batch to the library, which copies it.
func (e *parquetEncoder) flush() error {
	_, err := e.writer.WriteRows(e.batch)
	e.batch = e.batch[:0]
	return err
}

// parquetValue returns a cell as the library takes it; null if it is unknown.
func parquetValue(h heading, c *cell) (parquet.Value, error) {
	if c.unknown() {
		return parquet.NullValue(), nil
	}
	switch h.kind {
	case integerCell, timeCell:
		return parquet.Int64Value(c.n), nil
	case dayCell:
		return parquet.Int32Value(int32(c.n)), nil
	case boolCell:
		return parquet.BooleanValue(c.n == 1), nil
	case decimalCell:
		if h.fine {
			break
		}
		units, err := decimalUnits(c.text)
		if err != nil {
			return parquet.Value{}, err
		}
		return parquet.FixedLenByteArrayValue(units[:]), nil
	}
	return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(c.text, "\ufffd"))), nil
}

func (e *parquetEncoder) end(RowTally) error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.writer.Close()
}

func (*parquetEncoder) close() error { return nil }
