package transport

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/exchange/wire"
	"rebatedesk/safehttp"
)

// longestBan limits the pause that an answer can request.
const longestBan = 5 * time.Minute

// classify turns an answer into an error, or nil for success. Success requires a 2xx
// status, a success code and an understood payload. An error code of the exchange explains
// more than a missing payload, so it takes precedence.
func (c *Sender) classify(e Endpoint, got Received, a wire.Envelope, fault, broken error) *Error {
	fine := IsSuccess(got.Status)
	if fine && broken != nil {
		return c.malformed(e, got, broken)
	}
	if !fine || !a.OK() {
		return c.refused(e, got, a)
	}
	c.bans.ended()
	if fault != nil {
		return c.malformed(e, got, fault)
	}
	return nil
}

// refused returns the error for an answer that reports one.
func (c *Sender) refused(e Endpoint, got Received, a wire.Envelope) *Error {
	m := c.protocol.MeaningOf(Refusal{Endpoint: e, Version: c.cfg.APIVersion, Status: got.Status, Code: a.Code})
	if m.Class == ClassRateLimit {
		c.limited.Add(1)
		c.cfg.Budget.ban(c.banOf(got.Header))
	} else {
		c.bans.ended()
	}
	message := c.Sanitize(a.Message)
	if message == "" {
		message = http.StatusText(got.Status)
	}
	failure := e.Fail(m.Class, message, m.Hint, nil)
	failure.entered = m.Entered
	failure.Status, failure.Code = got.Status, c.Sanitize(a.Code)
	if a.OK() {
		failure.Code = ""
	}
	return failure
}

// malformed returns the error for an answer that was not understood.
func (c *Sender) malformed(e Endpoint, got Received, err error) *Error {
	message := "the answer is not what it should be: " + c.Sanitize(err.Error())
	// An answer that is not JSON comes from another service. The decoder's message would
	// quote its first bytes.
	if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		message = fmt.Sprintf("the answer is no JSON from byte %d on", broken.ByteOffset+1)
	}
	switch text := bytes.TrimSpace(got.Body); {
	case len(text) == 0:
		message = "the answer is empty"
	case text[0] == '<':
		message = "the answer is a web page instead of data"
	}
	failure := e.Fail(ClassMalformed, message, HintBase, nil)
	failure.Status = got.Status
	return failure
}

// banOf returns how long a 429 stops all calls: the configured time plus a margin, or
// longer, up to a limit, if the exchange requests it. See also [Protocol.Ban].
func (c *Sender) banOf(h http.Header) time.Duration {
	now := c.cfg.Now()
	asked := safehttp.PauseAsked(h, now)
	if c.protocol.Asked != nil {
		asked = c.protocol.Asked(h, now)
	}
	if c.protocol.Ban > 0 {
		return c.bans.next(c.cfg.BanWait, asked, now)
	}
	ban := c.cfg.BanWait + c.cfg.BanWait/20
	if asked > longestBan {
		c.cfg.Log.Warn("the exchange asks for a longer pause than is kept", "asked", asked, "kept", longestBan)
		asked = longestBan
	}
	return max(ban, asked)
}

// Sanitize makes foreign text safe for one line: short, printable and without
// credentials.
func (c *Sender) Sanitize(s string) string {
	s = c.hide.Replace(wire.Cleaned(s))
	if runes := []rune(s); len(runes) > 200 {
		s = string(runes[:200]) + "…"
	}
	return s
}
