package exchange

import "github.com/go-json-experiment/json/jsontext"

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
	return readText(d, &t.Value)
}

// FreeText is text that names nothing to us: what would break a line is
// replaced. A plain string of a record is an identity, which has to be clean.
type FreeText string
