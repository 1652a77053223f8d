package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
)

// newestFirst is the order of commission records when none is asked for.
var newestFirst = reports.Sort{Field: "time", Descending: true}

// choices are what a page can be asked for besides days and filters.
type choices struct {
	Sorts   []string          // columns it may be sorted by
	Order   reports.Sort      // when none is asked for
	Usual   reports.RangeName // range when none is asked for; empty is the one of all pages
	By      []string          // ways to split it, the first when none is asked for
	Metrics []string          // figures it can show, the first when none is asked for
	States  []string          // of invitees
	Tags    bool              // of invitees
	Columns []string          // that can be shown or not
}

// query reads the question of a request.
func (s *Server) query(c *fiber.Ctx, with choices) (reports.Query, error) {
	values, err := parameters(c)
	if err != nil {
		return reports.Query{}, err
	}
	basis, err := s.Reports.Basis(c.UserContext())
	if err != nil {
		return reports.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	if order := values.Get("sort"); order != "" && len(with.Sorts) == 0 {
		return reports.Query{}, &reports.ParamError{Param: "sort", Value: order, Problem: "cannot be used here: what stands at this address has one order only"}
	}
	basis.Sorts, basis.Order = with.Sorts, with.Order
	basis.Usual, basis.By, basis.Metrics = with.Usual, with.By, with.Metrics
	basis.States, basis.Tags, basis.Columns = with.States, with.Tags, with.Columns
	return reports.ParseQuery(values, basis)
}

// queryOf reads the question of a page that takes some of the parameters only:
// the others would change nothing there, and nothing is ignored silently.
func (s *Server) queryOf(c *fiber.Ctx, taken []string) (reports.Query, error) {
	values, err := parameters(c)
	if err != nil {
		return reports.Query{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, known := values.Get(name), slices.Contains(reports.Params, name)
		switch {
		case slices.Contains(taken, name) || known && strings.TrimSpace(value) == "":
		case known:
			return reports.Query{}, &reports.ParamError{Param: name, Value: value, Problem: "cannot be used here; this page takes " + strings.Join(taken, ", ")}
		default:
			return reports.Query{}, &reports.ParamError{Param: name, Value: value, Problem: "there is no such parameter; this page takes " + strings.Join(taken, ", ")}
		}
	}
	return s.query(c, choices{})
}

// parameters are those of the request's address.
func parameters(c *fiber.Ctx) (url.Values, error) {
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, &problem{fiber.StatusBadRequest, "The query string of the address is malformed: a % must be followed by two hexadecimal digits."}
	}
	return values, nil
}
