package settings

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/store/audit"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
)

// auditParams are the parameters of the page of the audit log; its files accept all but
// the last.
var auditParams = []string{"from", "to", "actor", "action", "q", "before"}

func (s *Area) AuditPage(c *fiber.Ctx) error {
	if s.Audit == nil {
		return fiber.ErrNotFound
	}
	q, err := auditQuery(c, auditParams)
	if err != nil {
		return err
	}
	return s.showAudit(c, q)
}

func (s *Area) showAudit(c *fiber.Ctx, q reports.AuditQuery) error {
	report, err := s.Audit.Audit(c.UserContext(), q)
	if err != nil {
		return err
	}
	checked := s.auditCheck.Load()
	if checked == nil && report.Checked.ID != 0 {
		checked = &report.Checked
	}
	return s.Render(c, templates.Audit(templates.AuditView{Settings: s.settingsPage(c, "Audit log", "/settings/audit"),
		Report: report, Query: q, Check: checked}))
}

// auditQuery reads the query of a request. Unknown parameters are errors.
func auditQuery(c *fiber.Ctx, taken []string) (q reports.AuditQuery, err error) {
	values, err := handler.Parameters(c)
	if err != nil {
		return q, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		given := values[name]
		switch {
		case !slices.Contains(taken, name):
			return q, &query.ParamError{Param: name, Value: given[0], Problem: "there is no such parameter; this page takes " + strings.Join(taken, ", ")}
		case len(given) > 1:
			return q, &query.ParamError{Param: name, Value: given[1], Problem: "stands there twice; give it once"}
		case !utf8.ValidString(given[0]) || len(given[0]) > maxAuditText:
			return q, &query.ParamError{Param: name, Value: strings.ToValidUTF8(given[0], "\ufffd"), Problem: "is no text of at most " + strconv.Itoa(maxAuditText) + " bytes"}
		}
	}
	return readAuditQuery(values)
}

// maxAuditText is longer than any name.
const maxAuditText = 400

func readAuditQuery(values url.Values) (q reports.AuditQuery, err error) {
	q.Actor, q.Action, q.Text = values.Get("actor"), values.Get("action"), strings.TrimSpace(values.Get("q"))
	if q.From, err = dayIn(values, "from"); err != nil {
		return q, err
	}
	if q.To, err = dayIn(values, "to"); err != nil {
		return q, err
	}
	if q.From != 0 && q.To != 0 && q.To < q.From {
		return q, &query.ParamError{Param: "to", Value: values.Get("to"), Problem: "is before from; give a day that is not before " + q.From.String()}
	}
	if before := values.Get("before"); before != "" {
		if q.Before, err = strconv.ParseInt(before, 10, 64); err != nil || q.Before < 1 {
			return q, &query.ParamError{Param: "before", Value: before, Problem: "is no number of a line; open the page without it"}
		}
	}
	return q, nil
}

// dayIn returns a day of the query string, or 0 if none is given.
func dayIn(values url.Values, name string) (affiliate.Day, error) {
	text := strings.TrimSpace(values.Get(name))
	if text == "" {
		return 0, nil
	}
	day, err := affiliate.ParseDay(text)
	if err != nil || day <= 0 {
		return 0, &query.ParamError{Param: name, Value: text, Problem: "is no day; write it as 2026-09-30"}
	}
	return day, nil
}

// CheckAudit verifies the whole log and records the result in it. If the log is too
// broken to be extended, this process remembers the result.
func (s *Area) CheckAudit(c *fiber.Ctx) error {
	if s.Audit == nil {
		return fiber.ErrNotFound
	}
	var anchors []audit.Anchor
	if s.AuditAnchors != nil {
		anchors = s.AuditAnchors()
	}
	finding, err := s.Audit.VerifyAudit(c.UserContext(), anchors...)
	if err != nil {
		return err
	}
	line := s.By(c)
	line.Action, line.Detail, line.Outcome = reports.AuditChecked, strings.Join(append([]string{finding.Seen}, finding.Warnings...), "; "), strings.Join(finding.Faults, "; ")
	var kept *audit.Line
	err = s.Access.Record(c.UserContext(), line)
	switch {
	case errors.Is(err, audit.ErrBroken):
		line.At = affiliate.MillisOf(time.Now())
		kept = &line
	case err != nil:
		return err
	}
	s.auditCheck.Store(kept)
	return c.Redirect("/settings/audit", fiber.StatusSeeOther)
}

// AuditFile answers with the log of the page's query as a file, whatever its length.
func (s *Area) AuditFile(format export.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if s.Audit == nil {
			return fiber.ErrNotFound
		}
		q, err := auditQuery(c, auditParams[:len(auditParams)-1])
		if err != nil {
			return err
		}
		return s.Download(c, reports.AuditFile, format, func(ctx context.Context) (handler.ExportFile, error) {
			return s.Audit.OpenAuditExport(ctx, q)
		})
	}
}
