package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/tabular"
)

// readTable reads the file of an import, of at most the given number of bytes; - is standard
// input. Faults of the file are wrong usage.
func readTable[T any](ctx context.Context, stdin io.Reader, path string, most int64, parse func(context.Context, []byte) (T, error)) (file T, err error) {
	in := stdin
	if path != "-" {
		if err := checkFile("FILE", path); err != nil {
			return file, err
		}
		opened, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return file, usage("FILE %sdoes not exist", config.Echo(path))
		}
		if err != nil {
			return file, err
		}
		defer opened.Close()
		in = opened
	}
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return file, err
	}
	file, err = parse(ctx, text)
	return file, faultsAsUsage(path, err)
}

// faultsAsUsage makes faults of a file wrong usage.
func faultsAsUsage(path string, err error) error {
	if faults, ok := errors.AsType[tabular.Mistakes](err); ok {
		return usage("the file %s has %s, so nothing was taken:\n%w", path, numbered(len(faults), "fault"), faults)
	}
	return err
}
