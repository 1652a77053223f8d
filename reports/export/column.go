package export

import (
	"iter"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// heading describes a column: its name, its meaning and the kind of its values.
type heading struct {
	name  string // snake_case
	words string // its meaning and unit; empty: as in [commonWords]
	kind  cellKind
	role  role
	title string              // in the head of a workbook; empty: its name
	label func(string) string // of a text in a workbook; nil: the text
	fine  bool                // its decimals may have more places than 18: products of two amounts
}

// role says how the sums of an export use a column.
type role int

const (
	plain  role = iota
	summed      // added up, exactly
	coined      // names the coin that the amounts of its row are in
)

// Column is one column of an export: its heading and how to get its value from a row. It is
// made by one of the functions below.
type Column[T any] struct {
	heading
	value func(*T) cell
}

// TextColumn returns a column of text.
func TextColumn[T any, S ~string](name string, value func(*T) S) Column[T] {
	return Column[T]{heading{name: name, kind: textCell, role: plain}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// UIDColumn returns a column of ids, which consist of digits but are not numbers.
func UIDColumn[T any](name string, value func(*T) affiliate.UID) Column[T] {
	return Column[T]{heading{name: name, kind: uidCell, role: plain}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// CoinColumn returns a column with the coin of the amounts in its row. Amounts of different
// coins are never added.
func CoinColumn[T any](name string, value func(*T) affiliate.Coin) Column[T] {
	return Column[T]{heading{name: name, kind: textCell, role: coined}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// IntegerColumn returns a column of whole numbers whose sum means nothing.
func IntegerColumn[T any](name string, value func(*T) int64) Column[T] {
	return Column[T]{heading{name: name, kind: integerCell, role: plain}, func(row *T) cell { return cell{n: value(row), known: true} }}
}

// FieldColumn returns the column of a field of a record that is in each row.
func FieldColumn[T, R any](f affiliate.Field[R], of func(*T) *R) Column[T] {
	text := func(row *T) string { return f.Text(of(row)) }
	var c Column[T]
	switch f.Kind {
	case affiliate.TimeField:
		c = IntegerColumn(f.Column, func(row *T) int64 { return *f.Target(of(row)).(*int64) })
	case affiliate.UIDField:
		c = UIDColumn(f.Column, func(row *T) affiliate.UID { return affiliate.UID(text(row)) })
	case affiliate.CoinField:
		c = CoinColumn(f.Column, func(row *T) affiliate.Coin { return affiliate.Coin(text(row)) })
	case affiliate.RateField:
		c = DecimalColumn(f.Column, func(row *T) affiliate.Number { return affiliate.Number(text(row)) })
	case affiliate.AmountField, affiliate.VolumeField:
		c = AmountColumn(f.Column, func(row *T) affiliate.Number { return affiliate.Number(text(row)) })
	default:
		c = TextColumn(f.Column, text)
	}
	return c.Means(f.Words)
}

// SumColumns returns a column for each of some fields of [affiliate.SummedFields]. value gets the index of its
// sum in [affiliate.Summed.All].
func SumColumns[T any](fields affiliate.Fields[affiliate.Commission], value func(row *T, place int) affiliate.Number) []Column[T] {
	columns := make([]Column[T], len(fields))
	for i, f := range fields {
		place := affiliate.SummedFields.Place(f.Column)
		columns[i] = AmountColumn(f.Column, func(row *T) affiliate.Number { return value(row, place) })
	}
	return columns
}

// KnownColumn returns a column of whole numbers that may be unknown and whose sum means
// nothing.
func KnownColumn[T any](name string, value func(*T) (int, bool)) Column[T] {
	return Column[T]{heading{name: name, kind: integerCell, role: plain}, func(row *T) cell {
		n, known := value(row)
		return cell{n: int64(n), known: known}
	}}
}

// KnownCountColumn is [CountColumn] for numbers that may be unknown.
func KnownCountColumn[T any](name string, value func(*T) (n int64, known bool)) Column[T] {
	return Column[T]{heading{name: name, kind: integerCell, role: summed}, func(row *T) cell {
		n, known := value(row)
		return cell{n: n, known: known}
	}}
}

// CountColumn returns a column of whole numbers that are added up.
func CountColumn[T any](name string, value func(*T) int64) Column[T] {
	return Column[T]{heading{name: name, kind: integerCell, role: summed}, func(row *T) cell { return cell{n: value(row), known: true} }}
}

// DecimalColumn returns a column of exact decimals whose sum means nothing, such as rates.
func DecimalColumn[T any](name string, value func(*T) affiliate.Number) Column[T] {
	return Column[T]{heading{name: name, kind: decimalCell, role: plain}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// AmountColumn returns a column of exact decimals that are added up per coin.
func AmountColumn[T any](name string, value func(*T) affiliate.Number) Column[T] {
	return Column[T]{heading{name: name, kind: decimalCell, role: summed}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// Means returns the column with words of its own about its meaning and unit.
func (c Column[T]) Means(words string) Column[T] {
	c.words = words
	return c
}

// Titled returns the column with a title in words for the head of a workbook, which people read. Other
// formats have its name. label, if it is not nil, gives the words of a text.
func (c Column[T]) Titled(title string, label func(text string) string) Column[T] {
	c.title, c.label = title, label
	return c
}

// Fine returns a column of decimals that may have more than 18 places, such as products of two
// amounts: a format whose decimals have a fixed number of places writes them as text.
func (c Column[T]) Fine() Column[T] {
	c.fine = true
	return c
}

// TimeColumn returns a column of times.
func TimeColumn[T any](name string, value func(*T) affiliate.Millis) Column[T] {
	return Column[T]{heading{name: name, kind: timeCell, role: plain}, func(row *T) cell {
		at := value(row)
		return cell{n: int64(at), known: at.Known()}
	}}
}

// DayColumn returns a column of calendar days.
func DayColumn[T any](name string, value func(*T) affiliate.Day) Column[T] {
	return Column[T]{heading{name: name, kind: dayCell, role: plain}, func(row *T) cell { return cell{n: int64(value(row)), known: true} }}
}

// BoolColumn returns a column of yes and no.
func BoolColumn[T any](name string, value func(*T) affiliate.Flag) Column[T] {
	return Column[T]{heading{name: name, kind: boolCell, role: plain}, func(row *T) cell {
		switch value(row) {
		case affiliate.FlagOf(true):
			return cell{n: 1, known: true}
		case affiliate.FlagOf(false):
			return cell{known: true}
		}
		return cell{}
	}}
}

// Table is the input of an encoder: headings and a stream of rows. The cells of a row are
// valid until the next row. The rows end with the first error.
type Table struct {
	headings []heading
	rows     iter.Seq2[[]cell, error]
}

// TableOf lays rows out in columns.
func TableOf[T any](columns []Column[T], rows iter.Seq2[T, error]) Table {
	headings := make([]heading, len(columns))
	for i, c := range columns {
		headings[i] = c.heading
	}
	return Table{headings, func(yield func([]cell, error) bool) {
		cells := make([]cell, len(columns))
		var current T // declared once: the columns take its address, and otherwise each row would be on the heap
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			current = row
			for i, c := range columns {
				cells[i] = c.value(&current)
			}
			if !yield(cells, nil) {
				return
			}
		}
	}}
}

// Each returns a list as a stream.
func Each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// PercentColumn returns a column of percentages with one decimal.
func PercentColumn[T any](name string, value func(*T) (decimal.Decimal, bool)) Column[T] {
	return DecimalColumn(name, func(row *T) affiliate.Number {
		if percent, known := value(row); known {
			return affiliate.Number(percent.StringFixed(1))
		}
		return ""
	})
}

// PeopleColumn returns a column of counts, each with the reason if it is not known.
func PeopleColumn[T any](name string, value func(*T) (int64, string)) Column[T] {
	return Column[T]{heading{name: name, kind: integerCell, role: summed}, func(row *T) cell {
		n, unknown := value(row)
		if unknown != "" {
			return cell{}
		}
		return cell{n: n, known: true}
	}}
}
