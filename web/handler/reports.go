package handler

import (
	"context"
	"io"

	"rebatedesk/reports/export"
)

// ExportFile is a file being written, of a report or of the audit log: one consistent
// state, written as it is read.
type ExportFile interface {
	FileName(format export.Format) string
	Write(ctx context.Context, w io.Writer, format export.Format) (export.RowTally, error)
	Close() error
}
