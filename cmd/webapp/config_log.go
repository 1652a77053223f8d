package main

import (
	"io"
	"log/slog"
)

// LogConfig is how the log is written.
type LogConfig struct {
	Format string // text or json
	Level  slog.Level
}

// log reads the log settings.
func (r *reader) log() LogConfig {
	return LogConfig{
		Format: read(r, "LOG_FORMAT", oneOf("text", "json")),
		Level:  read(r, "LOG_LEVEL", parseLevel),
	}
}

func parseLevel(text string) (slog.Level, *problem) {
	word, p := oneOf("debug", "info", "warn", "error")(text)
	if p != nil {
		return 0, p
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(word)); err != nil {
		return 0, &problem{"is not a level", "use info"}
	}
	return level, nil
}

// logger writes the log to w.
func (c LogConfig) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
