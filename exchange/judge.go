package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/exchange/wire"
)

// maxBanSeconds bounds what a Retry-After header can ask for.
const maxBanSeconds = 300

// judge decides what an answer means. Success takes a 2xx status and a code of
// success and a payload that is understood. Where the exchange's code says
// error, it explains more than a payload that is none.
func (c *sender) judge(e Endpoint, got received, a wire.Envelope, fault, broken error) *Error {
	fine := success(got.status)
	if fine && broken != nil {
		return c.malformed(e, got, broken)
	}
	if !fine || !a.OK() {
		return c.refused(e, got, a)
	}
	if fault != nil {
		return c.malformed(e, got, fault)
	}
	return nil
}

// refused is the error of an answer that says it is one.
func (c *sender) refused(e Endpoint, got received, a wire.Envelope) *Error {
	m := meaningOf(got.status, a.Code)
	if m.class == ClassRateLimit {
		c.limited.Add(1)
		c.cfg.Budget.ban(c.banOf(got.header))
	}
	if m.mend == mendAffiliate {
		switch {
		case !e.Affiliate:
			m.mend = mendReading
		case c.cfg.APIVersion == "v2":
			m.mend = mendAffiliate2
		}
	}
	message := c.words(a.Message)
	if message == "" {
		message = http.StatusText(got.status)
	}
	failure := e.fail(m.class, message, m.mend, nil)
	failure.Status, failure.Code = got.status, c.words(a.Code)
	if a.OK() {
		failure.Code = ""
	}
	return failure
}

// malformed is the error of an answer that cannot be believed.
func (c *sender) malformed(e Endpoint, got received, err error) *Error {
	message := "the answer is not what it should be: " + c.words(err.Error())
	// What is no JSON comes from something else than an exchange. The decoder's
	// words would repeat the beginning of what that is.
	if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		message = fmt.Sprintf("the answer is no JSON from byte %d on", broken.ByteOffset+1)
	}
	switch text := bytes.TrimSpace(got.body); {
	case len(text) == 0:
		message = "the answer is empty"
	case text[0] == '<':
		message = "the answer is a web page instead of data"
	}
	failure := e.fail(ClassMalformed, message, mendBase, nil)
	failure.Status = got.status
	return failure
}

// banOf is how long a 429 stops all calls: what was configured and a margin,
// or longer where the exchange asks for it.
func (c *sender) banOf(h http.Header) time.Duration {
	ban := c.cfg.BanWait + c.cfg.BanWait/20
	if seconds := headerInt(h, "Retry-After"); seconds > 0 {
		ban = max(ban, time.Duration(min(seconds, maxBanSeconds))*time.Second)
	}
	return ban
}

// words makes foreign text fit for one line of ours: short, printable and
// without credentials.
func (c *sender) words(s string) string {
	s = c.hide.Replace(wire.Cleaned(s))
	if runes := []rune(s); len(runes) > 200 {
		s = string(runes[:200]) + "…"
	}
	return s
}
