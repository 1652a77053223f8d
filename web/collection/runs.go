package collection

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/store/received"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/collection"
)

// RunOne is the page about a run of the collector: the slices that it wrote, each with the
// fingerprint of the exchange's answers.
func (s *Area) RunOne(c *fiber.Ctx) error {
	if _, err := s.QueryWith(c, query.AcceptedParams{Taken: []string{}}); err != nil {
		return err
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	v := templates.RunView{Zone: s.Zone, MayDownload: s.May(c, access.MayEdit)}
	if v.Run, err = reports.RunWithSlices(c.UserContext(), s.Whole, id); err != nil {
		return err
	}
	return s.Render(c, templates.RunPage(s.Page(c, fmt.Sprintf("Run %d", id), "/collection"), v))
}

// AnswersOfSlice returns the answers of the exchange that are kept of a slice as a ZIP: each
// body as it was received, and an index with a line for each.
func (s *Area) AnswersOfSlice(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	var file, index bytes.Buffer
	archive, lines := zip.NewWriter(&file), json.NewEncoder(&index)
	lines.SetEscapeHTML(false)
	add := func(name string, at time.Time, content []byte) error {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at.UTC()})
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
	number := 0
	slice, err := reports.SliceAnswers(c.UserContext(), s.Whole, id, func(a received.KeptAnswer, body []byte) error {
		number++
		name := fmt.Sprintf("%05d.json", number)
		if err := lines.Encode(struct {
			File string `json:"file"`
			received.KeptAnswer
		}{name, a}); err != nil {
			return err
		}
		return add(name, a.Received.Time(), body)
	})
	if err != nil {
		return err
	}
	if err := add("index.jsonl", slice.Last.Time(), index.Bytes()); err != nil {
		return err
	}
	if err := add("fingerprint.sha256", slice.Last.Time(), []byte(slice.SHA256+"\n")); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	name := fmt.Sprintf("answers-%d.zip", id)
	if err := s.Record(c, "export", name, fmt.Sprintf("answers of the exchange: %s %s of %s", slice.Stream, slice.Days, slice.Account)); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/zip")
	c.Set(fiber.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return c.Send(file.Bytes())
}
