package config

import (
	"io"
	"log/slog"
)

// Log is how the log is written.
type Log struct {
	Format string // text or json
	Level  slog.Level
}

// log reads the log settings.
func (r *reader) log() Log {
	return Log{
		Format: read(r, "LOG_FORMAT", OneOf("text", "json")),
		Level:  read(r, "LOG_LEVEL", parseLevel),
	}
}

func parseLevel(text string) (slog.Level, *Problem) {
	word, p := OneOf("debug", "info", "warn", "error")(text)
	if p != nil {
		return 0, p
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(word)); err != nil {
		return 0, &Problem{"is not a level", "use info"}
	}
	return level, nil
}

// Logger writes the log to w.
func (c Log) Logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
