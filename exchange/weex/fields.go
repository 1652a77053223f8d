package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// fields collects the parameters of a call in the order in which they are sent and
// signed.
type fields struct {
	endpoint exchange.Endpoint
	names    []string
	values   []string
	quoted   []bool          // text, which a JSON body puts in quotes
	err      *exchange.Error // the first rule violation

	pageNumber, pageSize int // for endpoints with pages

	// given holds the parameter names in a request that a program wrote. Other parameters
	// then get no default, and zero values are intended. It is nil in our own calls.
	given map[string]bool
	now   affiliate.Millis // the exchange's clock if known
}

// wrote reports whether a program wrote the parameter itself.
func (f *fields) wrote(name string) bool { return f.given[name] }

// leaves reports whether a program omitted the parameter.
func (f *fields) leaves(name string) bool { return f.given != nil && !f.given[name] }

// fields returns the empty parameters of our own call to an endpoint.
func (c *Client) fields(endpoint string, write func(*fields)) fields {
	f := fields{endpoint: endpointNamed(endpoint), now: c.t.ClockTime()}
	write(&f)
	return f
}

func (f *fields) add(name, value string, quoted bool) {
	f.names, f.values, f.quoted = append(f.names, name), append(f.values, value), append(f.quoted, quoted)
}

func (f *fields) text(name, value string) { f.add(name, value, true) }

func (f *fields) number(name string, n int64) { f.add(name, strconv.FormatInt(n, 10), false) }

// raw adds a value that is already JSON.
func (f *fields) raw(name, json string) { f.add(name, json, false) }

// window adds a range of time; a longest of 0 means no limit. A range without an end lasts
// until now.
func (f *fields) window(start, end affiliate.Millis, longest time.Duration) {
	f.instant("startTime", start)
	f.instant("endTime", end)
	f.inOrder("endTime", start, end)
	end = cmp.Or(end, f.now)
	f.check(longest == 0 || !start.Known() || !end.Known() || end-start <= affiliate.Millis(longest.Milliseconds()),
		"startTime", start.String()+" to "+end.String(), fmt.Sprintf("is at most %d days before the end", int(longest.Hours()/24)))
}

// page adds the page number. Its name differs between endpoints; the exchange ignores
// a wrong one and always answers page 1.
func (f *fields) page(name string, page, size int) {
	f.paged(page, size)
	f.count(name, page, 1, 1, math.MaxInt32)
	f.count("pageSize", size, wire.FullPage, 1, math.MaxInt32)
}

// paged notes the requested page: its number decides whether an answer may omit the list.
func (f *fields) paged(page, size int) {
	f.pageNumber, f.pageSize = cmp.Or(page, 1), cmp.Or(size, wire.FullPage)
}

// call writes the parameters as a query string, or as a JSON body for POST.
func (f *fields) call() transport.APICall {
	if f.endpoint.Method == http.MethodGet {
		var b strings.Builder
		for i, name := range f.names {
			if i > 0 {
				b.WriteByte('&')
			}
			b.WriteString(name + "=" + url.QueryEscape(f.values[i]))
		}
		return transport.APICall{Endpoint: f.endpoint, Query: b.String()}
	}
	return transport.APICall{Endpoint: f.endpoint, Body: f.object()}
}

// object writes the parameters as a JSON object.
func (f *fields) object() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range f.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":` + f.json(i))
	}
	b.WriteByte('}')
	return b.String()
}

func (f *fields) json(i int) string {
	if !f.quoted[i] {
		return f.values[i]
	}
	return quote(f.values[i])
}

func quote(s string) string {
	// Its error only reports invalid UTF-8, which it has already replaced.
	quoted, _ := jsontext.AppendQuote(nil, s)
	return string(quoted)
}
