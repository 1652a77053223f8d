package web

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
)

// newestFirst is the order of commission records when none is asked for.
var newestFirst = reports.Sort{Field: "time", Descending: true}

// query reads the question of a request. Sorts are the columns it may be
// sorted by, order what stands when none is given.
func (s *Server) query(c *fiber.Ctx, sorts []string, order reports.Sort) (reports.Query, error) {
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return reports.Query{}, &problem{fiber.StatusBadRequest, "The query string of the address is malformed: a % must be followed by two hexadecimal digits."}
	}
	basis, err := s.Reports.Basis(c.UserContext())
	if err != nil {
		return reports.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	if order := values.Get("sort"); order != "" && len(sorts) == 0 {
		return reports.Query{}, &reports.ParamError{Param: "sort", Value: order, Problem: "cannot be used here: what stands at this address has one order only"}
	}
	basis.Sorts, basis.Order = sorts, order
	return reports.ParseQuery(values, basis)
}
