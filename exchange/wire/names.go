package wire

import "regexp"

// nicknames are members of records that name a person.
var nicknames = regexp.MustCompile(`(?i)("nick_?name"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|-?[0-9][0-9.eE+-]*)`)

// Nameless empties the names that people gave themselves in a text of JSON, which may end anywhere: nothing
// of them is kept.
func Nameless(text []byte) []byte { return nicknames.ReplaceAll(text, []byte(`$1""`)) }
