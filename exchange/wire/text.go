package wire

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// Text is optional text. Null and absent are not Given; "" is.
type Text struct {
	Value string
	Given bool
}

// String returns the text, empty if it was not given.
func (t Text) String() string { return t.Value }

// UnmarshalJSONFrom reads a text or null.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if t.Given = d.PeekKind() != jsontext.KindNull; !t.Given {
		return d.SkipValue()
	}
	return ReadText(d, &t.Value)
}

// FreeText is text that identifies nothing: control characters are replaced. A plain
// string field of a record is an identifier, in which they are a fault.
type FreeText string

// MaybeInstant is a time that may be irrelevant: an invalid one is not a fault by itself.
type MaybeInstant struct {
	At    affiliate.Millis
	Wrong bool
}

// UnmarshalJSONFrom reads a time.
func (m *MaybeInstant) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	b, kind, err := scalar(d)
	if err != nil {
		return err
	}
	m.At, err = parseInstant(b, kind)
	m.Wrong = err != nil
	return nil
}

// ReadChoice reads one of the given values, or another word as received.
func ReadChoice[T ~string](d *jsontext.Decoder, v *T, known ...T) error {
	if err := ReadText(d, v); err != nil {
		return err
	}
	for _, value := range known {
		if strings.EqualFold(string(*v), string(value)) {
			*v = value
		}
	}
	return nil
}
