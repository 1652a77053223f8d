package simulator

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// parameters reads the parameters of one call and remembers the first fault. Unknown names
// are ignored, as the exchange does: a client that sends pageNo always gets page 1.
type parameters struct {
	get     func(name string) string
	values  map[string]json.RawMessage // from a body
	refused *refusal
}

// fromQuery reads a query string.
func fromQuery(raw string) *parameters {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return &parameters{get: nothing, refused: errInvalid("query")}
	}
	p := &parameters{get: values.Get}
	for _, name := range slices.Sorted(keys(values)) {
		if values.Get(name) == "" {
			p.fail(errEmpty(name))
		}
	}
	return p
}

func keys(values url.Values) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	}
}

// fromBody reads a JSON object. Values may be text or numbers; null means absent.
func fromBody(body []byte) *parameters {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(body, &values); err != nil || values == nil {
		return &parameters{get: nothing, refused: errInvalid("body")}
	}
	return &parameters{values: values, get: func(name string) string { return textOf(values[name]) }}
}

func nothing(string) string { return "" }

// textOf returns a JSON value as text: text without its quotes, a number as written,
// nothing for null.
func textOf(value json.RawMessage) string {
	text := string(value)
	if text == "null" {
		return ""
	}
	var quoted string
	if strings.HasPrefix(text, `"`) && json.Unmarshal(value, &quoted) == nil {
		return quoted
	}
	return text
}

func (p *parameters) fail(r *refusal) {
	if p.refused == nil {
		p.refused = r
	}
}

func (p *parameters) text(name string) string {
	if p.refused != nil {
		return ""
	}
	return p.get(name)
}

// number reads a whole number of at least the given value; absent means fallback.
func (p *parameters) number(name string, least, fallback int64) int64 {
	text := p.text(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		p.fail(errInvalid(name))
		return fallback
	}
	return n
}

// required reads a required parameter.
func (p *parameters) required(name string) string {
	text := p.text(name)
	if text == "" {
		p.fail(errEmpty(name))
	}
	return text
}

// oneOf reads a required parameter with a closed set of values.
func (p *parameters) oneOf(name string, values ...string) string {
	value := p.required(name)
	if !slices.Contains(values, value) {
		p.fail(errInvalid(name))
	}
	return value
}

// decimal reads a required number above zero without an exponent.
func (p *parameters) decimal(name string) decimal.Decimal {
	text := p.required(name)
	n, err := affiliate.ParseNumber(text)
	if err != nil || strings.ContainsAny(text, "eE") || !n.Decimal().IsPositive() {
		p.fail(errInvalid(name))
		return decimal.Zero
	}
	return n.Decimal()
}

// size reads the number of records wanted, from 1. A larger number than allowed is reduced
// to the limit.
func (p *parameters) size(name string, fallback, most int64) int {
	return int(min(p.number(name, 1, fallback), most))
}

// bounded reads a whole number that is refused outside its bounds.
func (p *parameters) bounded(name string, least, most, fallback int64) int {
	n := p.number(name, least, fallback)
	if n > most {
		p.fail(errInvalid(name))
	}
	return int(min(n, most))
}

// items reads a list, which is empty if absent.
func (p *parameters) items(name string) []json.RawMessage {
	text := p.values[name]
	if p.refused != nil || len(text) == 0 || string(text) == "null" {
		return nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		p.fail(errInvalid(name))
	}
	return all
}

// objects reads a list of objects.
func (p *parameters) objects(name string) []*parameters {
	var all []*parameters
	for _, item := range p.items(name) {
		one := fromBody(item)
		if one.refused != nil {
			p.fail(errInvalid(name))
		}
		all = append(all, one)
	}
	return all
}

// texts reads a list of text or numbers.
func (p *parameters) texts(name string) []string {
	var all []string
	for _, item := range p.items(name) {
		text := textOf(item)
		if text == "" {
			p.fail(errInvalid(name))
		}
		all = append(all, text)
	}
	return all
}
