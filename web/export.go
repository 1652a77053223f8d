package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
)

// exportChunk is how much of a file is collected before it is handed on.
const exportChunk = 64 << 10

// export answers with the page's own question as a file, whatever its length.
func (s *Server) export(kind reports.ExportKind, format reports.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var sorts []string
		var order reports.Sort
		if kind == reports.ExportCommissions {
			sorts, order = reports.CommissionSorts, newestFirst
		}
		q, err := s.query(c, sorts, order)
		if err != nil {
			return err
		}
		select {
		case s.exports <- struct{}{}:
		default:
			c.Set(fiber.HeaderRetryAfter, "10")
			return &problem{status: fiber.StatusServiceUnavailable,
				text: "Other files are being written. Try again in a moment."}
		}
		// The file outlives this handler, so it has a context of its own.
		ctx, end := context.WithCancel(s.life)
		cancel := sync.OnceFunc(func() {
			end()
			<-s.exports
		})
		export, err := s.Reports.OpenExport(ctx, kind, q)
		if err != nil {
			cancel()
			return fmt.Errorf("open export %s: %w", kind, err)
		}
		c.Set(fiber.HeaderContentType, format.ContentType())
		c.Set(fiber.HeaderContentDisposition, attachment(export.FileName(format)))
		if c.Method() == fiber.MethodHead {
			cancel()
			return export.Close()
		}
		s.stream(c, ctx, cancel, export, format)
		return nil
	}
}

// stream sends the export through a pipe. An error cuts the connection, so
// that half a file cannot be taken for a whole one; a client that has gone
// cancels the reading.
func (s *Server) stream(c *fiber.Ctx, ctx context.Context, cancel context.CancelFunc, export Export, format reports.Format) {
	reader, writer := io.Pipe()
	id, path := idOf(c), c.Path()
	s.background.Go(func() {
		defer cancel()
		err := s.writeExport(ctx, writer, export, format)
		if err != nil {
			s.Log.Error("export broken off", "id", id, "path", path, "error", err)
		}
		writer.CloseWithError(err)
	})
	c.Context().SetBodyStream(&exportBody{PipeReader: reader, cancel: cancel, conn: c.Context().Conn()}, -1)
}

func (s *Server) writeExport(ctx context.Context, w io.Writer, export Export, format reports.Format) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.caught(cause, "export")
			err = errPanic
		}
		err = errors.Join(err, export.Close())
	}()
	buffered := bufio.NewWriterSize(w, exportChunk)
	if _, err := export.Write(ctx, buffered, format); err != nil {
		return err
	}
	return buffered.Flush()
}

// exportBody is what the connection reads from. Each read gives the client
// time anew: a long file on a slow line is no reason to cut it.
type exportBody struct {
	*io.PipeReader
	cancel context.CancelFunc
	conn   net.Conn
}

func (b *exportBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if b.conn != nil {
		if deadlineErr := b.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err == nil {
			err = deadlineErr
		}
	}
	return n, err
}

// Close is called by the server when the response is over, early or not.
func (b *exportBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// attachment names the file; quotes and control characters do not occur in the
// names that package reports makes, and do not get out here if they ever do.
func attachment(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '/' {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + clean + `"`
}
