package wire

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// Envelope is the part of an answer around its payload. The exchange wraps
// payloads in five ways: {code, msg, requestTime, data}; {code, data,
// timestamp}; {code, list, total, timestamp}; a bare object with its list; and
// on the contract address a bare object or array, where only an error is an
// object with a code.
type Envelope struct {
	Code    string // empty if absent
	Message string
	Time    affiliate.Millis // requestTime or timestamp; 0 if absent

	success Codes
	denied  bool // a member "success" is false
}

// Codes are the codes by which an exchange reports success. The empty one means that an answer
// without a code may be one.
type Codes []string

// OK reports whether a code means success.
func (c Codes) OK(code string) bool { return slices.Contains(c, code) }

// OK reports whether the code means success. The payload is checked separately.
func (a Envelope) OK() bool { return a.success.OK(a.Code) && !a.denied }

// Payload reads the part of an answer that belongs to one endpoint.
type Payload interface {
	// member reads the value of the member r.name of the outermost object.
	member(r *Decoder)
	// bare reads an outermost value that is not an object.
	bare(r *Decoder)
	// complete records a fault if the answer does not prove a positive result.
	complete(r *Decoder)
}

// ReadEnvelope reads body once and hands the payload to p. success are the codes of success. The error is a syntax error in
// the JSON, and then code and msg may be missing; fault is an invalid payload.
func ReadEnvelope(body []byte, success Codes, p Payload) (a Envelope, fault, err error) {
	if bytes.Count(body, []byte("{")) > maxObjects {
		// Eight megabytes of tiny records would become half a gigabyte.
		a, r := walk(body, success, NoPayload{})
		return a, errTooMany, r.err
	}
	a, r := walk(body, success, p)
	if r.fault == nil {
		return a, nil, r.err // a nil pointer in an error would be one
	}
	return a, r.fault, r.err
}

func walk(body []byte, success Codes, p Payload) (a Envelope, r *Decoder) {
	a.success = success
	r = newDecoder(body)
	if r.kind() == jsontext.KindBeginObject {
		r.token()
		for names := map[string]bool{}; r.once(names); {
			a.member(r, p)
		}
	} else {
		p.bare(r)
	}
	r.end()
	if r.err == nil {
		p.complete(r)
	}
	return a, r
}

func (a *Envelope) member(r *Decoder, p Payload) {
	switch string(r.name) {
	case "code":
		a.Code = simple(r, parseCode)
		r.success = a.Code != "" && a.OK()
	case "success":
		if a.denied = a.denied || r.kind() == jsontext.KindFalse; a.denied {
			r.skip()
			return
		}
		p.member(r)
	case "msg", "message", "error":
		if s := r.aside(); a.Message == "" {
			a.Message = s
		}
	case "requestTime", "timestamp":
		// Error pages of servers have a textual "timestamp", which is not the exchange's.
		if m, ok := parseMillis([]byte(r.aside())); ok {
			a.Time, r.Stamp = m, m
		}
	default:
		p.member(r)
	}
}

// parseCode reads a code: text, or a whole number with or without a sign.
func parseCode(b []byte, kind jsontext.Kind) (string, error) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(b) > 0 && kind != jsontext.KindString && !OnlyDigits(digits) || len(b) > MaxText {
		return "", errors.New("is not a result code")
	}
	return Cleaned(string(b)), nil
}

// aside reads an informative value of any kind as shortened text, or nothing.
func (r *Decoder) aside() string {
	switch r.kind() {
	case jsontext.KindString, jsontext.KindNumber:
		b, _ := r.scalar()
		return Cleaned(string(b[:min(len(b), 4*MaxText)]))
	}
	r.skip()
	return ""
}

// NoPayload ignores the payload of an answer.
type NoPayload struct{}

func (NoPayload) member(r *Decoder)   { r.skip() }
func (NoPayload) bare(r *Decoder)     { r.skip() }
func (NoPayload) complete(r *Decoder) {}
