package web

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
)

// newestFirst is the order of commission records when none is asked for.
var newestFirst = reports.Sort{Field: "time", Descending: true}

// query reads the question of a request.
func (s *Server) query(c *fiber.Ctx, with reports.Choices) (reports.Query, error) {
	values, err := parameters(c)
	if err != nil {
		return reports.Query{}, err
	}
	basis, err := s.Reports.Basis(c.UserContext())
	if err != nil {
		return reports.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	basis.Choices = with
	return reports.ParseQuery(values, basis)
}

// parameters are those of the request's address.
func parameters(c *fiber.Ctx) (url.Values, error) {
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, &problem{fiber.StatusBadRequest, "The query string of the address is malformed: a % must be followed by two hexadecimal digits."}
	}
	return values, nil
}
