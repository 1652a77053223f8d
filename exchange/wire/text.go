package wire

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// Text is text that the exchange may leave open. Null and absent are not
// Given, which is something else than a given "".
type Text struct {
	Value string
	Given bool
}

// String is the text, empty where it was left open.
func (t Text) String() string { return t.Value }

// UnmarshalJSONFrom reads a text or null.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if t.Given = d.PeekKind() != jsontext.KindNull; !t.Given {
		return d.SkipValue()
	}
	return ReadText(d, &t.Value)
}

// FreeText is text that names nothing to us: what would break a line is
// replaced. A plain string of a record is an identity, which has to be clean.
type FreeText string

// MaybeInstant is a time that may turn out not to matter: one that is none is no
// fault by itself.
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

// ReadChoice reads one of the values, or another word as it came.
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
