package handler

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
)

// Parameters of lists that are read in parts.
const (
	limitParam  = "limit"
	cursorParam = "cursor"
)

// MostRows is the most rows of a part: it is made in memory.
const MostRows = 10_000

// PageParams describes the parameters by which programs read a list in parts.
func PageParams() []query.ParamInfo {
	return []query.ParamInfo{
		{Name: limitParam, Type: query.NumberParam, Most: MostRows, Words: "Rows of a part of the list. Without it the answer has all rows."},
		{Name: cursorParam, Type: query.TextParam, Most: 1000, Words: "Where the part begins: the cursor in next of the part before it, together with the same parameters."},
	}
}

// cursor is where the next part of a list begins. It carries the state of the list, so that no
// part moves while the program collects.
type cursor struct {
	Question string           `json:"q"` // hash of the address and the parameters
	State    affiliate.Millis `json:"s"`
	Began    int64            `json:"b"` // milliseconds
	After    string           `json:"a"`
}

func (p cursor) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // it has texts and numbers only
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func refuseCursor(text, problem string) error {
	return &query.ParamError{Param: cursorParam, Value: text, Problem: problem}
}

func parseCursor(text, question string) (p cursor, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	switch {
	case err != nil || p.State <= 0 || p.Began <= 0 || p.After == "":
		return p, refuseCursor(text, "is no cursor of this server; begin the list again without it")
	case p.Question != question:
		return p, refuseCursor(text, "belongs to another list; send it with the parameters of the part that it came with")
	}
	return p, nil
}

// sendPart answers with a part of a list.
func sendPart(s *Base, c *fiber.Ctx, kind *export.Kind, values url.Values, with query.AcceptedParams) error {
	part := reports.ExportPart{Limit: MostRows}
	limit, given := values.Get(limitParam), values.Get(cursorParam)
	for _, name := range []string{limitParam, cursorParam} {
		if len(values[name]) > 1 {
			return &query.ParamError{Param: name, Value: values[name][1], Problem: "is given more than once"}
		}
		values.Del(name)
	}
	if limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > MostRows {
			return &query.ParamError{Param: limitParam, Value: limit, Problem: fmt.Sprintf("is not a whole number from 1 to %d", MostRows)}
		}
		part.Limit = n
	}
	hash := sha256.Sum256([]byte(c.Path() + "?" + values.Encode()))
	question := base64.RawURLEncoding.EncodeToString(hash[:9])
	if given != "" {
		p, err := parseCursor(given, question)
		if err != nil {
			return err
		}
		part.State, part.Began, part.After = p.State, time.UnixMilli(p.Began), p.After
	}
	q, err := s.queryOf(c, values, with, part.Began)
	if err != nil {
		return err
	}
	if err := narrowToPath(c, &q); err != nil {
		return err
	}
	q.Names = s.Names(c)
	leave, stop, err := s.take(s.exports, c)
	if err != nil {
		return err
	}
	defer stop()
	defer leave()
	file, part, err := reports.OpenPart(c.UserContext(), s.Reports(c), kind, q, part)
	if err != nil {
		return fmt.Errorf("open a part of %s: %w", kind, err)
	}
	same, err := unchanged(s, c, func() (string, error) { return file.StateOfPart(c.UserContext(), part) })
	switch {
	case errors.Is(err, export.ErrNoPlace):
		return errors.Join(refuseCursor(given, "is no cursor of this server; begin the list again without it"), file.Close())
	case err != nil || same:
		return errors.Join(err, file.Close())
	}
	if c.Method() != fiber.MethodHead {
		if err := s.recordExport(c, kind.Name, export.JSON); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	address := func(place string) string {
		values.Set(limitParam, strconv.Itoa(part.Limit))
		values.Set(cursorParam, cursor{Question: question, State: part.State, Began: part.Began.UnixMilli(), After: place}.text())
		return c.Path() + "?" + values.Encode()
	}
	err = writePart(s, c, kind, file, part, address)
	return errors.Join(err, file.Close())
}

func writePart(s *Base, c *fiber.Ctx, kind *export.Kind, file *reports.Export, part reports.ExportPart, address func(string) string) error {
	var body bytes.Buffer
	tally, next, err := file.WritePart(c.UserContext(), &body, part, address)
	switch {
	case errors.Is(err, export.ErrNoPlace):
		return refuseCursor(c.Query(cursorParam), "is no cursor of this server; begin the list again without it")
	case err != nil:
		return fmt.Errorf("write a part of %s: %w", kind, err)
	}
	if next != "" {
		c.Set(fiber.HeaderLink, "<"+address(next)+`>; rel="next"`)
	}
	c.Set(RowsTrailer, strconv.FormatInt(tally.Rows, 10))
	c.Set(fiber.HeaderContentType, export.JSON.ContentType())
	return c.Send(body.Bytes())
}
