package wire

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Array is a list within a record. A pointer to one is nil if it is null or absent.
type Array[T any] []T

// All returns the elements, none if the list is absent.
func (l *Array[T]) All() []T {
	if l == nil {
		return nil
	}
	return *l
}

// UnmarshalJSONFrom reads the elements, each of which is an object or a text.
func (l *Array[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case jsontext.KindNull:
		return d.SkipValue()
	case jsontext.KindBeginArray:
	default:
		return kindFault(d, "is not a list")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != jsontext.KindEndArray {
		if len(*l) == maxObjects {
			return errTooMany
		}
		var v T
		if err := readElement(d, &v); err != nil {
			return err
		}
		*l = append(*l, v)
	}
	_, err := d.ReadToken()
	return err
}

var errTooMany = fmt.Errorf("are more than %d records", maxObjects)

// readElement reads an object or a text.
func readElement[T any](d *jsontext.Decoder, v *T) error {
	if _, text := any(v).(*string); !text && d.PeekKind() != jsontext.KindBeginObject {
		return kindFault(d, "is not a record")
	}
	return json.UnmarshalDecode(d, v)
}

// kindFault skips a value of another kind.
func kindFault(d *jsontext.Decoder, what string) error {
	if err := d.SkipValue(); err != nil {
		return err
	}
	return &json.SemanticError{JSONPointer: d.StackPointer(), Err: errors.New(what)}
}
