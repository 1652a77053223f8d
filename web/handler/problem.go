package handler

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/templates/ui"
)

// Problem is an error with a text for the person who sees it.
type Problem struct {
	Status int
	Text   string
	Kept   []ui.Kept // what was written into the refused form
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
func NewProblem(status int, text string) error { return &Problem{Status: status, Text: text} }

// ProblemBody is an error for programs: problem details of RFC 9457, with members of our own.
type ProblemBody struct {
	Type      string        `json:"type"` // address of the words about this kind of problem
	Title     string        `json:"title"`
	Status    int           `json:"status"`
	Detail    string        `json:"detail"`
	Instance  string        `json:"instance"`              // id of the request; the log has it
	Parameter string        `json:"parameter,omitempty"`   // the parameter that is invalid
	Value     *string       `json:"value,omitempty"`       // its value, shortened
	Allowed   []string      `json:"allowed,omitempty"`     // valid values, or the parameters of the address
	Wait      int64         `json:"retry_after,omitempty"` // seconds
	Error     ProblemRecord `json:"error"`                 // deprecated: the form before problem details
}

// ProblemRecord is the form of errors before problem details, which programs may rely on.
type ProblemRecord struct {
	Status    int     `json:"status"`
	Message   string  `json:"message"`
	Param     *string `json:"param,omitempty"`
	Value     *string `json:"value,omitempty"`
	Reference *string `json:"reference,omitempty"` // id of the request, of failures
}

// ProblemMedia is the media type of [ProblemBody].
const ProblemMedia = "application/problem+json"

// ProblemKind is a kind of problem with its name, the last part of [ProblemBody.Type].
type ProblemKind struct {
	Name   string
	Status int
	Words  string
}

// ProblemKinds lists the kinds of problems that programs meet.
func ProblemKinds() []ProblemKind {
	return []ProblemKind{
		{"parameter", fiber.StatusBadRequest, "A parameter is unknown, not accepted at this address, given twice, or has an invalid value. The members parameter, value and allowed name it and the valid values."},
		{"request", fiber.StatusBadRequest, "The request cannot be read."},
		{"not-signed-in", fiber.StatusUnauthorized, "The token is missing, wrong, revoked or expired."},
		{"forbidden", fiber.StatusForbidden, "The role of the user or the scopes of the token do not allow it."},
		{"not-found", fiber.StatusNotFound, "There is nothing at this address, or nothing that you may see."},
		{"method", fiber.StatusMethodNotAllowed, "The address does not take this method."},
		{"not-known-yet", fiber.StatusConflict, "The answer is not known yet, for example because days are missing. The detail says what is missing."},
		{"too-large", fiber.StatusRequestEntityTooLarge, "The request is larger than the server accepts."},
		{"encoded", fiber.StatusUnsupportedMediaType, "The request has a Content-Encoding."},
		{"misdirected", fiber.StatusMisdirectedRequest, "The server does not answer under this name."},
		{"too-many-requests", fiber.StatusTooManyRequests, "The token sends requests too fast, or too many of the user's requests are being answered. Retry-After says when to try again."},
		{"headers-too-large", fiber.StatusRequestHeaderFieldsTooLarge, "The address or the headers are too long."},
		{"failure", fiber.StatusInternalServerError, "The server failed. The log has more under the instance."},
		{"exchange", fiber.StatusBadGateway, "The exchange did not answer as it should."},
		{"busy", fiber.StatusServiceUnavailable, "The server is busy, or a part of it cannot be reached. Retry-After says when to try again."},
	}
}

// NameOfProblem returns the name of a kind of problem.
func NameOfProblem(status int, aboutParameter bool) string {
	for _, kind := range ProblemKinds() {
		if kind.Status == status && (status != fiber.StatusBadRequest || aboutParameter == (kind.Name == "parameter")) {
			return kind.Name
		}
	}
	return "request"
}
