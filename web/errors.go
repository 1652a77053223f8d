package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/web/api"
	"rebatedesk/web/console/proxy"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/ui"
)

// explain decides, for the whole server, the status of an error on a path and its public text.
// Internal details stay in the log.
func (s *Server) explain(err error, at string) ui.PageError {
	var param *query.ParamError
	var ours *handler.Problem
	var rule *store.RuleError
	var fibers *fiber.Error
	var form *ended
	var throttled *access.Throttled
	var expired *access.Expired
	var crowded *handler.NoPlace
	switch {
	case errors.As(err, &expired):
		return ui.PageError{Status: http.StatusUnauthorized, Title: title(http.StatusUnauthorized),
			Text: sentence(expired.Error()) + " Make another one on the page of your account, or by webapp token create."}
	case errors.As(err, &form):
		return ui.PageError{Status: http.StatusForbidden, Title: "Sign in again", Kept: form.kept, SignIn: true,
			Text: "You are not signed in any more, so the form was not taken and nothing was changed. Sign in, open the page again and send it once more."}
	case errors.Is(err, access.ErrNoSession):
		return ui.PageError{Status: http.StatusForbidden, Title: "Sign in again", Text: "Your session has ended. Nothing was changed.", SignIn: true}
	case errors.As(err, &throttled):
		return ui.PageError{Status: http.StatusTooManyRequests, Title: "Too many requests", Wait: throttled.Seconds(),
			Text: "This page was asked for too often in a short time. Nothing was changed. Try again in " + phrase.Wait(throttled.Wait) + "."}
	case errors.Is(err, access.ErrBusy):
		return ui.PageError{Status: http.StatusServiceUnavailable, Title: "Busy", Wait: handler.BusyWait,
			Text: "The server has too much to do at this moment. Try again in a few seconds."}
	case errors.As(err, &crowded) && crowded.Own:
		return ui.PageError{Status: http.StatusTooManyRequests, Title: "Too many requests at once", Wait: handler.BusyWait,
			Text: "As many pages or files as one user may have at once are being made under your name, and more are waiting. Try again when some of them are done."}
	case errors.As(err, &crowded):
		return ui.PageError{Status: http.StatusServiceUnavailable, Title: "Busy", Wait: handler.BusyWait,
			Text: "The server is busy with pages and files of others. Try again in a few seconds."}
	case errors.Is(err, access.ErrForbidden):
		return ui.PageError{Status: http.StatusForbidden, Title: title(http.StatusForbidden), Text: "Your role does not allow this. Nothing was changed."}
	case errors.As(err, &param):
		return ui.PageError{Status: http.StatusBadRequest, Title: "This link has a value we do not know",
			Text: "Correct the value, or open the page without it. Nothing was changed.", Param: param.Param, Value: handler.Quote(param.Value), Hint: param.Problem, Allowed: param.Allowed}
	case errors.As(err, &ours):
		return ui.PageError{Status: ours.Status, Title: title(ours.Status), Text: ours.Text, Kept: ours.Kept}
	case errors.As(err, &rule) && rule.Missing && rule.Stale:
		return ui.PageError{Status: http.StatusConflict, Title: title(http.StatusConflict), Text: rule.Problem}
	case errors.As(err, &rule) && rule.Missing:
		return ui.PageError{Status: http.StatusNotFound, Title: title(http.StatusNotFound), Text: rule.Problem}
	case errors.As(err, &rule) && rule.Stale:
		return ui.PageError{Status: http.StatusConflict, Title: "Not saved", Text: rule.Problem + " Open the page again."}
	case errors.As(err, &rule):
		return ui.PageError{Status: http.StatusBadRequest, Title: "Not saved", Text: rule.Problem}
	case errors.As(err, &fibers) && fibers.Code == http.StatusRequestEntityTooLarge && s.takesFile(at):
		return ui.PageError{Status: fibers.Code, Title: title(fibers.Code),
			Text: fmt.Sprintf("The file is larger than the %d MiB that a page takes, or you are not signed in any more, or your role does not let you send files. Nothing was changed.", handler.MostUpload>>20)}
	case errors.As(err, &fibers):
		return standardProblem(fibers.Code)
	case store.RowsAway(err):
		return ui.PageError{Status: http.StatusServiceUnavailable, Title: "Single records cannot be read now", Wait: handler.BusyWait,
			Text: "A server that holds records of the database does not answer. Nothing is lost, and pages of totals go on. Try again in a few minutes; the log names the server to an administrator."}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return ui.PageError{Status: http.StatusServiceUnavailable, Title: "That took too long",
			Text: "The question was given up after a while. A shorter range or fewer filters may help; nothing was changed."}
	}
	return ui.PageError{Status: http.StatusInternalServerError, Title: "Something failed here",
		Text: "The server could not answer. Nothing was changed. The log says more under the reference below."}
}

// standardProblem is a protocol error. Fiber uses statuses above 500 only for errors
// while reading a request, which are not failures of this server.
func standardProblem(status int) ui.PageError {
	if status >= 500 {
		status = http.StatusBadRequest
	}
	return ui.PageError{Status: status, Title: title(status), Text: standardTexts[status]}
}

var standardTexts = map[int]string{
	http.StatusBadRequest:                  "The request could not be read.",
	http.StatusNotFound:                    "There is no page at this address.",
	http.StatusMethodNotAllowed:            "This address does not take that kind of request.",
	http.StatusRequestTimeout:              "The request did not arrive in time.",
	http.StatusRequestEntityTooLarge:       "The request is larger than this server accepts.",
	http.StatusRequestHeaderFieldsTooLarge: "The request's address or headers are longer than this server accepts.",
}

// takesFile reports whether a form with a file is sent to a path.
func (s *Server) takesFile(path string) bool {
	_, ok := s.uploadRoute(path)
	return ok
}

func title(status int) string {
	switch status {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusForbidden:
		return "Refused"
	case http.StatusUnauthorized:
		return "Not signed in"
	case http.StatusMisdirectedRequest:
		return "Not under this name"
	case http.StatusRequestEntityTooLarge:
		return "Too large"
	}
	return http.StatusText(status)
}

// serveError answers a failed request: as JSON if a program sent it, otherwise as a
// page.
func (s *Server) serveError(c *fiber.Ctx, err error) error {
	if fibers, ok := errors.AsType[*fiber.Error](err); ok {
		switch fibers.Code {
		case http.StatusRequestEntityTooLarge:
			if full := s.uploads.refusal(&c.Context().Request.Header); full != nil {
				err = full
			}
		case http.StatusMethodNotAllowed:
			if pattern, ok := s.formWithNames(c); ok {
				s.setHeaders(c.Response())
				c.Response().Header.Del(fiber.HeaderAllow)
				return s.redirectToForm(c, pattern)
			}
		}
	}
	p := s.explain(err, c.Path())
	id := handler.IdOf(c)
	if p.Status >= 500 {
		p.Reference = id
		s.Log.Error("request failed", "id", id, "route", handler.RouteName(c), "error", err)
	}
	// Errors of fasthttp bypass the outermost handler, and Fiber's 405 has already set
	// Allow.
	s.setHeaders(c.Response())
	c.Status(p.Status)
	if _, ok := errors.AsType[*access.Expired](err); ok {
		c.Set(fiber.HeaderWWWAuthenticate, bearerRealm+`, error="invalid_token", error_description="The token expired"`)
	}
	if p.Wait > 0 {
		handler.RetryAfter(c, p.Wait)
	}
	if proxy.IsProxy(c.Path()) {
		return proxy.Problem(c, p)
	}
	if isFile(c.Path()) || handler.IsProgram(c) {
		return s.sendProblem(c, p, id)
	}
	if id == "" || p.Status == http.StatusMisdirectedRequest {
		// A request that has not passed the guards sees no part of the pages.
		return c.SendString(p.Text + "\n")
	}
	p.Back, p.BackLabel = wayOut(c, p)
	if p.Status >= 500 && c.Method() == fiber.MethodGet {
		p.Again = handler.LocalPath(c.OriginalURL())
	}
	page := s.Page(c, p.Title, "")
	page.User.Waiting = nil // what failed here would fail again
	return s.Render(c, ui.ErrorPage(page, p))
}

// sentence turns an error into a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// isFile reports whether a path names a file rather than a page.
func isFile(p string) bool {
	switch path.Ext(p) {
	case ".csv", ".xlsx", ".json", ".eml", ".zip", ".pdf":
		return true
	}
	return false
}

// sendProblem answers a program.
func (s *Server) sendProblem(c *fiber.Ctx, p ui.PageError, id string) error {
	body := handler.ProblemBody{
		Type:  strings.TrimSuffix(s.options.PublicURL, "/") + api.ProblemAddress(handler.NameOfProblem(p.Status, p.Param != "")),
		Title: p.Title, Status: p.Status, Detail: p.Text, Instance: id, Wait: p.Wait, Allowed: p.Allowed,
		Error: handler.ProblemRecord{Status: p.Status, Message: p.Text},
	}
	if p.Param != "" {
		refused := query.ParamError{Param: p.Param, Value: p.Value, Problem: p.Hint}
		body.Title, body.Detail, body.Parameter, body.Value = "Invalid parameter", refused.Error(), p.Param, &p.Value
		body.Error.Param, body.Error.Value, body.Error.Message = &p.Param, &p.Value, refused.Error()
	}
	if p.Status >= 500 {
		body.Error.Reference = &p.Reference
	}
	if err := c.JSON(body); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, handler.ProblemMedia)
	return nil
}

// asksForNothing opens a page without its default view. The bare address would open the
// default view, which may be the one that cannot be used.
const asksForNothing = "?range="

// wayOut returns an address where the reader can go on: the page of the refused form,
// the same page without the invalid parameter, or the overview.
func wayOut(c *fiber.Ctx, p ui.PageError) (address, label string) {
	from := handler.CameFrom(c, "")
	switch {
	case p.SignIn:
		return handler.LoginAddress(handler.LocalPath(from)), "Sign in"
	case c.Method() == fiber.MethodPost && from != "":
		return from, "Back to the page"
	}
	if p.Param == "" {
		return "/", "Go to Home"
	}
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return c.Path() + asksForNothing, "Open the page without parameters"
	}
	values.Del(p.Param)
	if len(values) == 0 {
		return c.Path() + asksForNothing, "Open the page without it"
	}
	return c.Path() + "?" + values.Encode(), "Open the page without it"
}
