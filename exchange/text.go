package exchange

// Text is text that the exchange may leave open. Null and absent are not
// Given, which is something else than a given "".
type Text struct {
	Value string
	Given bool
}

// String is the text, empty where it was left open.
func (t Text) String() string { return t.Value }
