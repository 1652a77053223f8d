package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// This file checks requests against the rules of the interface document. The first
// violation is kept in fields.err, and nothing is sent.

const (
	maxDigits    = 19 // of a number on the wire; 64 bits hold no more
	maxClientOID = 40 // characters of a contract order's own id (4.13)
)

// refuse keeps the first violation.
func (f *fields) refuse(field, value, rule string) {
	if f.err != nil {
		return
	}
	value = wire.Cleaned(value)
	if runes := []rune(value); len(runes) > 60 {
		value = string(runes[:60]) + "…"
	}
	invalid := &InvalidField{Field: field, Value: value, Rule: rule}
	f.err = f.endpoint.Fail(exchange.ClassRequest, invalid.Error(), "", invalid)
}

// check rejects the value unless the condition holds.
func (f *fields) check(holds bool, field, value, rule string) {
	if !holds {
		f.refuse(field, value, rule)
	}
}

// uid adds a user id. It is a number without quotes in JSON, so anything else must be
// rejected. An empty id is left out.
func (f *fields) uid(name string, uid affiliate.UID) { f.digits(name, string(uid)) }

// digits adds an id that is a number on the wire. An empty id is left out.
func (f *fields) digits(name, id string) {
	if id == "" {
		return
	}
	f.check(wholeNumber(id), name, id, "is a whole number of at most 19 digits")
	f.add(name, id, false)
}

func wholeNumber(s string) bool {
	return wire.OnlyDigits([]byte(s)) && s[0] != '0' && len(s) <= maxDigits
}

// symbol adds a spot trading pair.
func (f *fields) symbol(pair string) {
	f.check(spotPair(pair), "symbol", pair, "is a spot pair like BTCUSDT_SPBL")
	f.text("symbol", pair)
}

func spotPair(s string) bool {
	return len(s) <= wire.MaxText && affiliate.IsSpotSymbol(s)
}

// contract adds a contract pair.
func (f *fields) contract(pair string) {
	f.check(len(pair) <= wire.MaxText && affiliate.IsContractSymbol(pair), "symbol", pair, "is a contract pair like cmt_btcusdt")
	f.text("symbol", pair)
}

// choice adds one of the documented values.
func choice[T ~string](f *fields, name string, value T, allowed []T) {
	f.check(slices.Contains(allowed, value), name, string(value), fmt.Sprintf("is one of %q", allowed))
	f.text(name, string(value))
}

// count adds a number of records or a page number. 0 selects the default, unless a program
// wrote it.
func (f *fields) count(name string, n, usual, low, high int) {
	if f.leaves(name) {
		return
	}
	if !f.wrote(name) {
		n = cmp.Or(n, usual)
	}
	f.check(n >= low && n <= high, name, strconv.Itoa(n), fmt.Sprintf("is between %d and %d", low, high))
	f.number(name, int64(n))
}

// positive adds an amount: a plain decimal above zero.
func (f *fields) positive(name string, n affiliate.Number) {
	f.check(plain(n) && n[0] != '-' && !n.IsZero(), name, string(n), "is a plain decimal number above zero")
	f.text(name, string(n))
}

// plain reports whether n has no exponent, as in the exchange's own numbers.
func plain(n affiliate.Number) bool {
	again, err := affiliate.ParseNumber(string(n))
	return err == nil && again == n
}

// instant adds a time. An unknown time is left out.
func (f *fields) instant(name string, m affiliate.Millis) {
	if !m.Known() {
		return
	}
	f.check(m >= wire.FirstInstant && m < wire.LastInstant, name, strconv.FormatInt(int64(m), 10), wire.IsMillis)
	f.number(name, int64(m))
}

// inOrder requires a range to begin before it ends; name is the parameter for the end.
func (f *fields) inOrder(name string, from, to affiliate.Millis) {
	f.check(!from.Known() || !to.Known() || from <= to, name, from.String()+" to "+to.String(), "begins before it ends")
}

// ownID adds our own id of a spot order. The document sets no limits. An id that an answer
// could not repeat exactly is rejected, because the id identifies the answer.
func (f *fields) ownID(name, id string) {
	ok := id != "" && len(id) <= wire.MaxText && wire.Printable([]byte(id)) && strings.TrimSpace(id) == id
	f.check(ok, name, id, "is text of 1 to 256 bytes without control characters or spaces around it")
	f.text(name, id)
}

// clientOID adds our own id of a contract order: at most 40 characters without special
// ones, which we take to mean letters and digits. If it is empty, the exchange chooses one
// (4.13).
func (f *fields) clientOID(id string) {
	ok := len(id) <= maxClientOID && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	})
	f.check(ok, "client_oid", id, "has at most 40 letters and digits")
	f.text("client_oid", id)
}

// orderID adds an order id as text. The exchange's ids are numbers.
func (f *fields) orderID(name, id string) {
	f.check(wholeNumber(id), name, id, "is a whole number of at most 19 digits")
	f.text(name, id)
}

// distinct requires the ids in a list to differ.
func (f *fields) distinct(name string, ids []string) {
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		f.check(!seen[id], name, id, "stands in the list once")
		seen[id] = true
	}
}

// within adopts the violation found in a part.
func (f *fields) within(place string, part fields) {
	if part.err == nil {
		return
	}
	if invalid, ok := errors.AsType[*InvalidField](part.err); ok {
		f.refuse(place+invalid.Field, invalid.Value, invalid.Rule)
	}
}

// InvalidField is the cause of an [Error] of [ClassRequest]: the request breaks a rule
// of the interface document, so nothing was sent.
type InvalidField struct {
	Field string // as the exchange names it
	Value string // shortened
	Rule  string // what holds for it: "is between 1 and 100"
}

// Error names the field, its value and the rule.
func (e *InvalidField) Error() string {
	return fmt.Sprintf("%s = %q: it %s", e.Field, e.Value, e.Rule)
}
