package access

import (
	"strconv"

	"rebatedesk/secret"
)

// Keep seals a form of a session that waits until its user has proved to be present. The
// browser can hold the sealed form without seeing its content. what names the purpose of
// the form.
func (s *Service) Keep(p Principal, what string, form []byte) []byte {
	return s.box.Seal(form, keptRow(p, what))
}

// Kept opens what Keep sealed for the same session and the same purpose.
func (s *Service) Kept(p Principal, what string, sealed []byte) ([]byte, error) {
	return s.box.Open(sealed, keptRow(p, what))
}

func keptRow(p Principal, what string) string {
	return secret.Row("kept form", strconv.FormatInt(p.SessionID, 10), what)
}
