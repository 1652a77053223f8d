package weex

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// params holds the parameters of a request that a program wrote. They are parsed into the
// queries and orders of the client's methods, which write them again under their own rules.
// The result must equal the input, so that only checked values are sent.
type params struct {
	f     *fields // keeps the first rule violation
	given map[string]param
	asked map[string]bool // the documented names

	beside map[string]param // in the query string of a POST
	nulls  []string         // names whose value is null, which means absent
}

// param is one parameter: its text and its JSON kind, which is always text in a query
// string.
type param struct {
	text string
	kind jsontext.Kind
	raw  jsontext.Value // of a list
}

const inPlain = "is written plainly, without leading zeros or signs"

// readParams reads the parameters from where the endpoint takes them: the query string of a
// GET or the JSON body of a POST.
func readParams(f *fields, r Request) *params {
	p := &params{f: f, given: map[string]param{}, asked: map[string]bool{}}
	query := p.query(r.Query)
	if r.Method == http.MethodGet {
		f.check(len(r.Body) == 0, "body", string(r.Body), "is empty: this endpoint takes its parameters in the query string")
		p.given = query
		return p
	}
	p.given, p.beside = p.object(r.Body), query
	for _, name := range slices.Sorted(maps.Keys(query)) {
		_, both := p.given[name]
		f.check(!both, name, query[name].text, "stands in the body alone")
	}
	return p
}

// query reads a query string. Input that net/url would parse differently from the exchange,
// or would not send unchanged, is rejected.
func (p *params) query(query string) map[string]param {
	plain := !strings.ContainsFunc(query, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"#;<>\\^`{|}", c)
	})
	p.f.check(plain, "query", query, "holds letters, digits and usual signs, everything else as %XX")
	values, err := url.ParseQuery(query)
	p.f.check(!plain || err == nil, "query", query, "has every % followed by two hexadecimal digits")
	given := map[string]param{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p.f.check(len(values[name]) == 1, name, strings.Join(values[name], ", "), "stands there once")
		given[name] = param{text: values[name][0], kind: jsontext.KindString}
	}
	return given
}

// object reads a JSON object. A duplicate name would be ambiguous, so it is rejected.
func (p *params) object(body []byte) map[string]param {
	given := map[string]param{}
	d := jsontext.NewDecoder(bytes.NewReader(body))
	bad := func() map[string]param {
		p.f.refuse("body", string(body), "is a JSON object with each name once; {} where there are no parameters")
		return nil
	}
	if d.PeekKind() != jsontext.KindBeginObject {
		return bad()
	}
	raw, err := d.ReadValue()
	if err != nil || len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return bad()
	}
	d = jsontext.NewDecoder(bytes.NewReader(raw))
	_, err = d.ReadToken()
	for err == nil && d.PeekKind() != jsontext.KindEndObject {
		var name jsontext.Token
		var value jsontext.Value
		if name, err = d.ReadToken(); err != nil {
			break
		}
		called := name.String()
		switch value, err = d.ReadValue(); {
		case err != nil:
		case value.Kind() == jsontext.KindNull: // absent (4.19)
			p.nulls = append(p.nulls, called)
		default:
			given[called] = readParam(value)
		}
	}
	if err != nil {
		return bad()
	}
	return given
}

func readParam(value jsontext.Value) param {
	v := param{kind: value.Kind(), raw: value.Clone()}
	switch v.kind {
	case jsontext.KindString:
		// The value was read whole, so it is valid.
		text, _ := jsontext.AppendUnquote(nil, value)
		v.text = string(text)
	default:
		v.text = string(v.raw)
	}
	return v
}

// take returns a documented parameter, which must have one of the given kinds.
func (p *params) take(name, rule string, kinds ...jsontext.Kind) (param, bool) {
	p.asked[name] = true
	v, ok := p.given[name]
	if ok && !slices.Contains(kinds, v.kind) {
		p.f.refuse(name, v.text, rule)
		return param{}, false
	}
	return v, ok
}

// text returns a parameter that is text on the wire.
func (p *params) text(name string) string {
	v, _ := p.take(name, "is text, in quotes", jsontext.KindString)
	return v.text
}

// split returns the parts of a comma-separated text.
func (p *params) split(name string) []string {
	text := p.text(name)
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// id returns a parameter that is a number on the wire and a name to us. It may be text,
// because browsers write numbers that are too long for them as text.
func (p *params) id(name string) string {
	v, _ := p.take(name, "is a whole number", jsontext.KindNumber, jsontext.KindString)
	return v.text
}

// whole returns a count or a page number.
func (p *params) whole(name string) int {
	text := p.id(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32)
	p.f.check(err == nil, name, text, "is a whole number")
	return int(n)
}

// millis returns an instant. Zero means no time to the client but a very early time to the
// exchange.
func (p *params) millis(name string) affiliate.Millis {
	text := p.id(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	p.f.check(err == nil && n != 0, name, text, wire.IsMillis)
	return affiliate.Millis(n)
}

// list reads a list whose elements have one kind.
func (p *params) list(name, rule string, kind jsontext.Kind) []param {
	v, ok := p.take(name, rule, jsontext.KindBeginArray)
	if !ok {
		return nil
	}
	var items []param
	d := jsontext.NewDecoder(bytes.NewReader(v.raw))
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != jsontext.KindEndArray {
		var value jsontext.Value
		if value, err = d.ReadValue(); err == nil {
			items = append(items, readParam(value))
			p.f.check(value.Kind() == kind, name, string(value), rule)
		}
	}
	p.f.check(err == nil, name, v.text, rule)
	return items
}

// texts reads a list of texts.
func (p *params) texts(name string) []string {
	var texts []string
	for _, item := range p.list(name, "is a list of texts", jsontext.KindString) {
		texts = append(texts, item.text)
	}
	return texts
}

// objects reads a list of objects. Each one has its own parameters and error.
func (p *params) objects(name string) []*params {
	var all []*params
	for _, item := range p.list(name, "is a list of orders", jsontext.KindBeginObject) {
		one := &params{f: &fields{endpoint: p.f.endpoint}, asked: map[string]bool{}}
		one.given = one.object(item.raw)
		all = append(all, one)
	}
	return all
}

// keep compares the parameters with those that the client would write.
func (p *params) keep(write func(*fields)) {
	f := fields{endpoint: p.f.endpoint, now: p.f.now, given: map[string]bool{}}
	for name := range p.given {
		f.given[name] = true
	}
	write(&f)
	p.f.within("", f)
	for i, name := range f.names {
		v, ok := p.given[name]
		switch {
		case !ok:
			p.f.refuse(name, "", "is required")
		case v.kind != jsontext.KindBeginArray:
			p.f.check(v.text == f.values[i], name, v.text, inPlain)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.asked)) {
		v, ok := p.given[name]
		p.f.check(!ok || v.kind == jsontext.KindBeginArray || slices.Contains(f.names, name), name, v.text, "has a value, or is left out")
	}
}

// finishOrder is finish of an order call: caps and pairs are computed from the documented members, so
// one that the document does not have, which some server might read, is rejected with its name.
func (p *params) finishOrder() {
	p.finish()
	for _, name := range slices.Sorted(maps.Keys(p.given)) {
		p.f.check(p.asked[name], name, p.given[name].text, "is no member of this call: leave it out")
	}
	for _, name := range p.nulls {
		p.f.check(p.asked[name], name, "null", "is no member of this call: leave it out")
	}
	for _, name := range slices.Sorted(maps.Keys(p.beside)) {
		p.f.check(false, name, p.beside[name].text, "is no parameter of this call, which has its parameters in the body: leave it out")
	}
}

// finish rejects names that differ from a documented one only in capitalisation, and
// documented names outside the body: a careless server would read them instead of the
// checked ones.
func (p *params) finish() {
	for _, documented := range slices.Sorted(maps.Keys(p.asked)) {
		for _, name := range slices.Sorted(maps.Keys(p.given)) {
			p.f.check(name == documented || !strings.EqualFold(name, documented), name, p.given[name].text, "is written "+documented)
		}
		for _, name := range slices.Sorted(maps.Keys(p.beside)) {
			p.f.check(!strings.EqualFold(name, documented), name, p.beside[name].text, "stands in the body alone")
		}
	}
}
