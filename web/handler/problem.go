package handler

import "github.com/gofiber/fiber/v2"

// Problem is an error with a text for the person who sees it.
type Problem struct {
	Status int
	Text   string
}

func (p *Problem) Error() string { return p.Text }

// Quote shortens text from an untrusted client.
func Quote(value string) string {
	const longest = 120
	if runes := []rune(value); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return value
}

// RequestID is the key under which a request's id is stored.
const RequestID = "request"

// IdOf returns the id of the request, empty before it has one.
func IdOf(c *fiber.Ctx) string {
	id, _ := c.Locals(RequestID).(string)
	return id
}

// NewProblem returns an error with a status and a text that tells the reader what to
// do.
func NewProblem(status int, text string) error { return &Problem{status, text} }
