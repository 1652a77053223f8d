package reports

import (
	"iter"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// heading is what is said of a column before any row of it.
type heading struct {
	name string // snake_case
	kind cellKind
	role role
}

// role is what the sums of an export make of a column.
type role int

const (
	plain  role = iota
	summed      // added up, exactly
	coined      // names the coin that the amounts of its row are in
)

// column is one column of an export: its heading and where its value stands in
// a row. It is made by one of the functions below.
type column[T any] struct {
	heading
	value func(*T) cell
}

// textColumn is a column of words.
func textColumn[T any, S ~string](name string, value func(*T) S) column[T] {
	return column[T]{heading{name, textCell, plain}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// uidColumn is a column of ids, which are digits and yet no numbers.
func uidColumn[T any](name string, value func(*T) affiliate.UID) column[T] {
	return column[T]{heading{name, uidCell, plain}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// coinColumn is the column that names the coin of the amounts in its row: what is in
// different coins is never added.
func coinColumn[T any](name string, value func(*T) affiliate.Coin) column[T] {
	return column[T]{heading{name, textCell, coined}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// integerColumn is a column of whole numbers whose sum means nothing.
func integerColumn[T any](name string, value func(*T) int64) column[T] {
	return column[T]{heading{name, integerCell, plain}, func(row *T) cell { return cell{n: value(row), known: true} }}
}

// knownColumn is a column of whole numbers that may be unknown and whose sum means
// nothing.
func knownColumn[T any](name string, value func(*T) (int, bool)) column[T] {
	return column[T]{heading{name, integerCell, plain}, func(row *T) cell {
		n, known := value(row)
		return cell{n: int64(n), known: known}
	}}
}

// countColumn is a column of whole numbers that are added up.
func countColumn[T any](name string, value func(*T) int64) column[T] {
	return column[T]{heading{name, integerCell, summed}, func(row *T) cell { return cell{n: value(row), known: true} }}
}

// decimalColumn is a column of exact decimals whose sum means nothing, such as rates.
func decimalColumn[T any](name string, value func(*T) affiliate.Number) column[T] {
	return column[T]{heading{name, decimalCell, plain}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// amountColumn is a column of exact decimals that are added up per coin.
func amountColumn[T any](name string, value func(*T) affiliate.Number) column[T] {
	return column[T]{heading{name, decimalCell, summed}, func(row *T) cell { return cell{text: string(value(row))} }}
}

// timeColumn is a column of times.
func timeColumn[T any](name string, value func(*T) affiliate.Millis) column[T] {
	return column[T]{heading{name, timeCell, plain}, func(row *T) cell {
		at := value(row)
		return cell{n: int64(at), known: at.Known()}
	}}
}

// dayColumn is a column of calendar days.
func dayColumn[T any](name string, value func(*T) affiliate.Day) column[T] {
	return column[T]{heading{name, dayCell, plain}, func(row *T) cell { return cell{n: int64(value(row)), known: true} }}
}

// boolColumn is a column of yes and no.
func boolColumn[T any](name string, value func(*T) affiliate.Flag) column[T] {
	return column[T]{heading{name, boolCell, plain}, func(row *T) cell {
		switch value(row) {
		case affiliate.FlagOf(true):
			return cell{n: 1, known: true}
		case affiliate.FlagOf(false):
			return cell{known: true}
		}
		return cell{}
	}}
}

// table is what an encoder writes: headings, and rows as they come. The cells
// of a row are good until the next one. The rows end with the first error.
type table struct {
	headings []heading
	rows     iter.Seq2[[]cell, error]
}

// tableOf lays rows out in columns.
func tableOf[T any](columns []column[T], rows iter.Seq2[T, error]) table {
	headings := make([]heading, len(columns))
	for i, c := range columns {
		headings[i] = c.heading
	}
	return table{headings, func(yield func([]cell, error) bool) {
		cells := make([]cell, len(columns))
		var current T // declared once: the columns take its address, and each row would be on the heap
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

// each is a list as a stream.
func each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// percentColumn is a column of percentages with one decimal.
func percentColumn[T any](name string, value func(*T) (decimal.Decimal, bool)) column[T] {
	return decimalColumn(name, func(row *T) affiliate.Number {
		if percent, known := value(row); known {
			return affiliate.Number(percent.StringFixed(1))
		}
		return ""
	})
}

// peopleColumn is a column of counts, each with why it is not known.
func peopleColumn[T any](name string, value func(*T) (int64, string)) column[T] {
	return column[T]{heading{name, integerCell, summed}, func(row *T) cell {
		n, unknown := value(row)
		if unknown != "" {
			return cell{}
		}
		return cell{n: n, known: true}
	}}
}
