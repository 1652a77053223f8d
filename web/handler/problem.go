package handler

import "github.com/gofiber/fiber/v2"

// Problem is an error whose text was written for the person who sees it.
type Problem struct {
	Status int
	Text   string
}

func (p *Problem) Error() string { return p.Text }

// Quote shortens what a stranger wrote.
func Quote(value string) string {
	const longest = 120
	if runes := []rune(value); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return value
}

// RequestID is where a request's id is kept.
const RequestID = "request"

// IdOf is the id of the request, empty before it has one.
func IdOf(c *fiber.Ctx) string {
	id, _ := c.Locals(RequestID).(string)
	return id
}

// NewProblem is an error of that status, with what the person who sees it can do.
func NewProblem(status int, text string) error { return &Problem{status, text} }
