package web

import "github.com/gofiber/fiber/v2"

// problem is an error whose text was written for the person who sees it.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

// cut shortens what a stranger wrote.
func cut(value string) string {
	const longest = 120
	if runes := []rune(value); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return value
}

// requestID is where a request's id is kept.
const requestID = "request"

// idOf is the id of the request, empty before it has one.
func idOf(c *fiber.Ctx) string {
	id, _ := c.Locals(requestID).(string)
	return id
}

// refuse is an error of that status, with what the person who sees it can do.
func refuse(status int, text string) error { return &problem{status, text} }
