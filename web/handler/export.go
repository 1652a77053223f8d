package handler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
)

// Export answers with the page's own query as a file, whatever its length. A UID in
// the address narrows the query in the same way as one in the query string.
func (s *Base) Export(kind *export.Kind, format export.Format, with query.AcceptedParams) fiber.Handler {
	inParts := format == export.JSON && kind.Object == nil
	return func(c *fiber.Ctx) error {
		values, err := Parameters(c)
		if err != nil {
			return err
		}
		if inParts && (values.Has(limitParam) || values.Has(cursorParam)) {
			return sendPart(s, c, kind, values, with)
		}
		q, err := s.queryOf(c, values, with, time.Time{})
		if err != nil {
			return err
		}
		if err := narrowToPath(c, &q); err != nil {
			return err
		}
		q.Names = s.Names(c)
		return s.Download(c, kind.Name, format, func(ctx context.Context) (ExportFile, error) { return s.Reports(c).OpenExport(ctx, kind, q) })
	}
}

// Download answers with a file, whose kind the audit log names, once few enough other files are being written.
func (s *Base) Download(c *fiber.Ctx, kind string, format export.Format, open func(context.Context) (ExportFile, error)) error {
	leave, stop, err := s.take(s.exports, c)
	if err != nil {
		return err
	}
	stop() // from here on a client that has gone takes no place
	// The file outlives this handler, so it has a separate context.
	ctx, end := context.WithCancel(s.Life)
	cancel := sync.OnceFunc(func() {
		end()
		leave()
	})
	streaming := false
	defer func() {
		if !streaming { // refused or panicked: the place is free again
			cancel()
		}
	}()
	export, err := open(ctx)
	if err != nil {
		return fmt.Errorf("open export %s: %w", kind, err)
	}
	if report, ok := export.(*reports.Export); ok { // only reports know before they are written which state they show
		same, err := unchanged(s, c, func() (string, error) { return report.State(ctx, format) })
		if err != nil || same {
			return errors.Join(err, export.Close())
		}
	}
	c.Set(fiber.HeaderContentType, format.ContentType())
	c.Set(fiber.HeaderContentDisposition, ContentDisposition(export.FileName(format)))
	if c.Method() == fiber.MethodHead {
		return export.Close()
	}
	if err := s.recordExport(c, kind, format); err != nil {
		return errors.Join(err, export.Close())
	}
	streaming = true
	return s.stream(c, ctx, cancel, export, kind, format)
}

// recordExport records who downloads which file, by its address.
func (s *Base) recordExport(c *fiber.Ctx, kind string, format export.Format) error {
	return s.Record(c, "export", kind+" as "+string(format), Quote(string(c.Request().RequestURI())))
}

// narrowToPath narrows a query to the UID in the address, if there is one.
func narrowToPath(c *fiber.Ctx, q *query.Query) error {
	if c.Params("uid") == "" {
		return nil
	}
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil || !query.IsUID(uid) {
		return NewProblem(fiber.StatusNotFound, "Nobody can have this UID: a UID is up to 32 digits or letters, such as 4667776811.")
	}
	if q.UID != "" {
		return &query.ParamError{Param: "uid", Value: string(q.UID), Problem: "cannot be used here: the address names a UID already"}
	}
	q.UID = affiliate.UID(uid)
	return nil
}

// stream sends the export through a pipe. An error closes the connection, so that a
// partial file cannot be mistaken for a complete one; a client that has gone cancels
// the reading.
func (s *Base) stream(c *fiber.Ctx, ctx context.Context, cancel context.CancelFunc, export ExportFile, kind string, format export.Format) error {
	reader, writer := io.Pipe()
	id, route := IdOf(c), RouteName(c)
	body := &exportBody{PipeReader: reader, conn: c.Context().Conn(), header: &c.Context().Response.Header}
	body.cancel = s.readers.add(s.Who(c).User, body, cancel)
	cancel = body.cancel
	if err := announceTrailers(body.header); err != nil {
		cancel()
		return errors.Join(err, export.Close())
	}
	s.Go(func() {
		defer cancel()
		summary, err := s.writeExport(ctx, writer, export, format)
		if err != nil {
			s.Log.Error("export broken off", "id", id, "route", route, "error", err)
		} else {
			s.Watch.countExport(kind, format, summary.Rows)
		}
		body.summary = summary // set before the end of the pipe, after which it is read
		writer.CloseWithError(err)
	})
	c.Context().SetBodyStream(body, -1)
	return nil
}

func (s *Base) writeExport(ctx context.Context, w io.Writer, export ExportFile, format export.Format) (summary export.RowTally, err error) {
	err = s.Guarded("export", func() (err error) {
		summary, err = export.Write(ctx, w, format)
		return err
	})
	return summary, errors.Join(err, export.Close())
}

// exportBody is the reader from which the connection takes the file. Each read extends
// the client's deadline: a long file on a slow line is not cut off as long as the
// client keeps a minimum [pace].
type exportBody struct {
	*io.PipeReader
	cancel  context.CancelFunc
	conn    net.Conn
	header  *fasthttp.ResponseHeader
	summary export.RowTally // once the pipe has ended

	mutex sync.Mutex
	pace  pace
	cut   bool // the place was needed for another user
}

func (b *exportBody) Read(p []byte) (int, error) {
	b.mutex.Lock()
	b.pace.asks(time.Now())
	b.mutex.Unlock()
	n, err := b.PipeReader.Read(p)
	if deadlineErr := b.deadline(n); deadlineErr != nil && (err == nil || err == io.EOF) {
		err = deadlineErr
	}
	if err == io.EOF {
		setTrailers(b.header, b.summary)
	}
	return n, err
}

// deadline allows the client time for n more bytes.
func (b *exportBody) deadline(n int) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.cut {
		return errGaveWay
	}
	until := b.pace.gets(time.Now(), n)
	if b.conn == nil {
		return nil
	}
	return b.conn.SetWriteDeadline(until)
}

var errGaveWay = errors.New("its reader took it slowly, and others waited")

// giveWay aborts the export, which then lacks its end.
func (b *exportBody) giveWay() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.cut = true
	b.PipeReader.CloseWithError(errGaveWay)
	if b.conn != nil {
		// This ends a write that waits for the reader. An error means that the
		// connection has already ended.
		_ = b.conn.SetWriteDeadline(time.Unix(1, 0))
	}
}

func (b *exportBody) givesWay() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.cut
}

// line returns how fast the reader takes the file, in bytes a second; known is false if
// the server has hardly waited for the reader yet.
func (b *exportBody) line() (perSecond float64, known bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.pace.line(time.Now())
}

// Close is called by the server when the response is over, complete or not.
func (b *exportBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// ContentDisposition names the file. Quotes and control characters do not occur in the
// names that package reports makes, and would be removed here if they did.
func ContentDisposition(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '/' {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + clean + `"`
}
