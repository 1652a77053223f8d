package config

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"unicode/utf16"
)

// Log is the configuration of the log.
type Log struct {
	Format string // text or json
	Level  slog.Level
}

func parseLevel(text string) (slog.Level, *ValueProblem) {
	word, p := OneOf("debug", "info", "warn", "error")(text)
	if p != nil {
		return 0, p
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(word)); err != nil {
		return 0, &ValueProblem{"is not a level", "use info"}
	}
	return level, nil
}

// Logger writes the log to w. Characters that are invisible or change the direction of text
// are escaped, because lines contain foreign names and answers.
func (c Log) Logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(escaping{w}, options))
	}
	return slog.New(slog.NewTextHandler(w, options)) // quotes such values by itself
}

// escaping writes lines of JSON with unprintable characters escaped, which decode
// to the same text.
type escaping struct{ to io.Writer }

func (e escaping) Write(line []byte) (int, error) {
	var b bytes.Buffer
	for _, r := range string(line) {
		switch {
		case r == '\n' || strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	if _, err := e.to.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(line), nil
}
