package console

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/exchange"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
)

// Limits of a file of the console. Its rows come from the exchange a hundred at a time,
// so longer ranges have to be downloaded in parts.
const (
	MaxFileRows  = 50_000
	FileTimeout  = 40 * time.Second
	bytesPerLine = 160
)

// fileAddress is the address of a page as a file.
func fileAddress(path string, given url.Values, all bool) string {
	values := url.Values{}
	for name := range given {
		values.Set(name, given.Get(name))
	}
	if all {
		values.Set("all", "1")
	}
	if query := values.Encode(); query != "" {
		return path + ".csv?" + query
	}
	return path + ".csv"
}

// SheetFile answers with a sheet as a file: with the content of the page or, with
// all=1, of the whole range. The file is made before its first byte is sent: only then
// is it known whether the file is complete, which its name states.
func (s *Base) SheetFile(sh Sheet) fiber.Handler {
	return func(c *fiber.Ctx) error {
		_, a, err := s.Frame(c, sh)
		switch {
		case err != nil:
			return err
		case a.Client == nil:
			return handler.NewProblem(fiber.StatusNotFound, "There is no account in use.")
		}
		if err := sh.Check(a); err != nil {
			return BrokenRule(err)
		}
		if err := s.Noted(c); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(exchange.WithPriority(c.UserContext(), exchange.Interactive), FileTimeout)
		defer cancel()
		body, rows, broken := sh.file(ctx, a)
		s.NotePage(c, Sheet{Path: sh.Path + ".csv"}, a, broken)
		name := sh.FileName(a)
		if broken != nil {
			if invalid := BrokenRule(broken); invalid != broken {
				return invalid
			}
			if rows == 0 {
				return handler.NewProblem(fiber.StatusBadGateway, "The file could not be made: "+broken.Error())
			}
			name = "incomplete-" + name
		}
		c.Set(fiber.HeaderContentType, export.CSV.ContentType())
		c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition(name))
		c.Set(handler.RowsTrailer, strconv.Itoa(rows))
		return c.Send(body)
	}
}

// BrokenRule converts a broken rule to its form for programs and leaves other errors
// unchanged.
func BrokenRule(err error) error {
	if invalid, ok := errors.AsType[*exchange.InvalidField](err); ok {
		return &query.ParamError{Param: invalid.Field, Value: invalid.Value, Problem: invalid.Rule}
	}
	return err
}

// file returns the sheet in CSV, as far as it could be read.
func (sh Sheet) file(ctx context.Context, a Asking) (body []byte, rows int, err error) {
	body = sh.Header(64)
	for row, err := range sh.rows(ctx, a) {
		if err != nil {
			return body, rows, err
		}
		if rows == MaxFileRows {
			return body, rows, fmt.Errorf("there are more than %d rows: ask for a shorter range", MaxFileRows)
		}
		body = AppendLine(body, row)
		rows++
	}
	return body, rows, nil
}

// rows returns the rows of the page, or of the whole range if requested.
func (sh Sheet) rows(ctx context.Context, a Asking) func(func(frame.SheetRow, error) bool) {
	if a.Given.Get("all") != "" && sh.All != nil {
		return sh.All(ctx, a)
	}
	return func(yield func(frame.SheetRow, error) bool) {
		page, err := sh.Ask(ctx, a)
		if err != nil {
			yield(frame.SheetRow{}, err)
			return
		}
		for _, row := range page.Rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// AppendLine writes a row. Foreign text is guarded; numbers never are.
func AppendLine(b []byte, row frame.SheetRow) []byte {
	for i, cell := range row.Cells {
		if i > 0 {
			b = append(b, ',')
		}
		if cell.Words {
			b = export.AppendTextCell(b, cell.Raw)
		} else {
			b = append(b, cell.Raw...)
		}
	}
	return append(b, "\r\n"...)
}

// FileName returns a name that states the content and the time of the file.
func (sh Sheet) FileName(a Asking) string {
	return sh.Noun + "s-" + string(a.Account) + "-" + time.Now().UTC().Format("20060102T150405Z") + ".csv"
}

// Header begins a file with the names of its columns.
func (sh Sheet) Header(rows int) []byte {
	body := make([]byte, 0, (rows+2)*bytesPerLine)
	for i, column := range sh.Columns {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, column.Name...)
	}
	return append(body, "\r\n"...)
}
