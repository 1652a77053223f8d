package exchange

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// fields collects the parameters of a call in the order they are sent, which
// is also the order they are signed in.
type fields struct {
	endpoint Endpoint
	names    []string
	values   []string
	quoted   []bool // text, which a JSON body puts in quotes
	err      error
}

func (f *fields) add(name, value string, quoted bool) {
	f.names, f.values, f.quoted = append(f.names, name), append(f.values, value), append(f.quoted, quoted)
}

func (f *fields) text(name, value string) { f.add(name, value, true) }

func (f *fields) number(name string, n int64) { f.add(name, strconv.FormatInt(n, 10), false) }

// uid adds a user, who is a number on the wire, in the JSON body without
// quotes: anything else must not get there.
func (f *fields) uid(name string, uid affiliate.UID) {
	if uid == "" {
		return
	}
	if !onlyDigits([]byte(uid)) || uid[0] == '0' || len(uid) > 19 {
		f.refuse(fmt.Sprintf("%.40q is not a user id", string(uid)))
		return
	}
	f.add(name, string(uid), false)
}

func (f *fields) window(start, end affiliate.Millis) {
	if start.Known() {
		f.number("startTime", int64(start))
	}
	if end.Known() {
		f.number("endTime", int64(end))
	}
}

// page adds the page number under its name, which differs between endpoints;
// under a wrong one the exchange answers page 1 for ever.
func (f *fields) page(name string, page, size int) {
	if page < 0 || size < 0 {
		f.refuse("pages are counted from 1")
		return
	}
	f.number(name, int64(cmp.Or(page, 1)))
	f.number("pageSize", int64(cmp.Or(size, usualRecords)))
}

func (f *fields) refuse(message string) {
	f.err = f.endpoint.fail(ClassValidation, message, "", nil)
}

// call writes the parameters as a query string, or as a JSON body for POST.
func (f *fields) call() call {
	var b strings.Builder
	if f.endpoint.Method == http.MethodGet {
		for i, name := range f.names {
			if i > 0 {
				b.WriteByte('&')
			}
			b.WriteString(name + "=" + url.QueryEscape(f.values[i]))
		}
		return call{endpoint: f.endpoint, query: b.String()}
	}
	b.WriteByte('{')
	for i, name := range f.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":` + f.json(i))
	}
	b.WriteByte('}')
	return call{endpoint: f.endpoint, body: b.String()}
}

func (f *fields) json(i int) string {
	if !f.quoted[i] {
		return f.values[i]
	}
	// Its error tells of invalid UTF-8 only, which it has replaced.
	quoted, _ := jsontext.AppendQuote(nil, f.values[i])
	return string(quoted)
}
