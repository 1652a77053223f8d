// Package api describes the addresses that programs may use, as an OpenAPI document and as a
// page. The description is made from what the server registers: routes, accepted parameters,
// columns and the types of answers.
package api

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
)

// Operation is what programs may ask at one address.
type Operation struct {
	Method string // empty: GET
	Path   string // as Fiber matches it
	Need   access.Permission
	Open   bool // nobody has to sign in

	Words  string // what it is about; empty: the words of its noun
	Params []query.ParamInfo
	Media  string // of the answer: a media type without parameters
	Kind   reports.ExportKind
	// Columns are those of a table; nil: they depend on the query.
	Columns []export.ColumnInfo
	Shape   reflect.Type // of a JSON answer; nil: a table with its metadata, or not JSON
	Pages   bool         // it takes limit and cursor
	Tagged  bool         // it has an ETag
	Unready bool         // its figures may not be known yet: 409
	Proxied string       // the endpoint of the exchange that it passes on
}

// ReportFile is a report in a format, with the parameters that its page accepts.
func ReportFile(path string, kind reports.ExportKind, format export.Format, with query.AcceptedParams) Operation {
	d := kind.Describe()
	o := Operation{Path: path, Kind: kind, Columns: d.Columns, Media: mediaOf(format), Tagged: true}
	for _, info := range with.Describe() {
		if !slices.Contains(d.Foreign, info.Name) && !slices.Contains(PathParams(path), info.Name) {
			info.Choices = distinct(info.Choices)
			o.Params = append(o.Params, info)
		}
	}
	if format == export.JSON {
		o.Shape = d.Object
		if o.Shape == nil {
			o.Pages = true
			o.Params = append(o.Params, handler.PageParams()...)
		}
	}
	return o
}

// distinct leaves out repetitions: a page and its file may sort by the same column.
func distinct(list []string) (kept []string) {
	for _, one := range list {
		if !slices.Contains(kept, one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// OtherFile is a file that is no report.
func OtherFile(path, words string, with query.AcceptedParams) Operation {
	return Operation{Path: path, Words: words, Params: with.Describe(), Media: mediaOf(export.Format(path[strings.LastIndex(path, ".")+1:]))}
}

// mediaOf returns a format's media type without its parameters.
func mediaOf(format export.Format) string {
	switch format {
	case "eml":
		return "message/rfc822"
	case "pdf":
		return "application/pdf"
	}
	media, _, _ := strings.Cut(format.ContentType(), ";")
	return media
}

var pathParam = regexp.MustCompile(`:(\w+)`)

// PathParams lists the parameters in a path.
func PathParams(path string) (names []string) {
	for _, found := range pathParam.FindAllStringSubmatch(path, -1) {
		names = append(names, found[1])
	}
	return names
}

// Address returns the path as OpenAPI writes it.
func (o Operation) Address() string { return pathParam.ReplaceAllString(o.Path, "{$1}") }

// JSON reports whether the answer is JSON of ours.
func (o Operation) JSON() bool { return o.Media == "application/json" && o.Proxied == "" }

// Noun returns the noun under which the operation is listed.
func (o Operation) Noun() string {
	path := strings.Trim(o.Path, "/")
	switch {
	case o.Proxied != "":
		return "proxy"
	case o.Open:
		return "health"
	case strings.HasPrefix(path, "console/"):
		return "console"
	}
	noun, _, _ := strings.Cut(path, "/")
	noun, _, _ = strings.Cut(noun, ".")
	return noun
}

// ID returns the name of the operation for generators of clients.
func (o Operation) ID() string {
	if o.Proxied != "" {
		return "proxy" + camel(strings.NewReplacer("/console/proxy/:account/", "", "/", "-", "_", "-").Replace(o.Path))
	}
	name, ending, _ := strings.Cut(strings.Trim(o.Path, "/"), ".")
	id := ""
	for i, part := range strings.Split(name, "/") {
		word := camel(strings.TrimPrefix(part, ":"))
		switch {
		case strings.HasPrefix(part, ":"):
			word = "By" + word
		case i == 0:
			word = strings.ToLower(word[:1]) + word[1:]
		}
		id += word
	}
	if ending != "" && ending != "json" {
		id += camel(ending)
	}
	return id
}

// camel joins the words of a name: SubAffiliates.
func camel(name string) string {
	joined := ""
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		joined += strings.ToUpper(word[:1]) + word[1:]
	}
	return joined
}

// Scopes lists the scopes of tokens that cover the operation, the least powerful first.
func (o Operation) Scopes() (list []access.Scope) {
	for _, scope := range access.Scopes {
		if scope.May(o.Need) {
			list = append(list, scope)
		}
	}
	return list
}
