package route

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"rebatedesk/access"
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
	Kind   *export.Kind
	// Columns are those of a table; nil: they depend on the query.
	Columns []export.ColumnInfo
	Shape   reflect.Type // of a JSON answer; nil: a table with its metadata, or not JSON
	Pages   bool         // it takes limit and cursor
	Tagged  bool         // it has an ETag
	Unready bool         // its figures may not be known yet: 409
	Moves   bool         // without an instant or days it redirects to the address that has them: 302
	Proxied string       // the endpoint of the exchange that it passes on
}

// ReportFile is a report in a format, with the parameters that its page accepts.
func ReportFile(path string, kind *export.Kind, format export.Format, with query.AcceptedParams) Operation {
	o := Operation{Path: path, Kind: kind, Columns: kind.Columns, Media: mediaOf(format), Tagged: true}
	for _, info := range with.Describe() {
		if !slices.Contains(kind.Foreign, info.Name) && !slices.Contains(PathParams(path), info.Name) {
			info.Choices = distinct(info.Choices)
			o.Params = append(o.Params, info)
		}
	}
	if format == export.JSON {
		o.Shape = kind.Shape()
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

// NoParams are the parameters of a file that takes none.
var NoParams = query.AcceptedParams{Taken: []string{"none"}}

// otherFile is a file that is no report.
func otherFile(path, words string, with query.AcceptedParams) Operation {
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
		return "proxy" + Camel(strings.NewReplacer("/console/proxy/:account/", "", "/", "-", "_", "-").Replace(o.Path))
	}
	name, ending, _ := strings.Cut(strings.Trim(o.Path, "/"), ".")
	id := ""
	for i, part := range strings.Split(name, "/") {
		word := Camel(strings.TrimPrefix(part, ":"))
		switch {
		case strings.HasPrefix(part, ":"):
			word = "By" + word
		case i == 0:
			word = strings.ToLower(word[:1]) + word[1:]
		}
		id += word
	}
	if ending != "" && ending != "json" {
		id += Camel(ending)
	}
	return id
}

// Camel joins the words of a name: SubAffiliates.
func Camel(name string) string {
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

// textWords are the words of parameters that take text.
var textWords = map[string]string{
	"coin": "Coin of the line.", "account": "Account of the line.", "kind": "direct, sub or all.", "start": "First instant of the period, milliseconds.",
	"end": "End of the period, milliseconds.", "bill": "Id of the bill, for a line without a period.", "finding": "The finding, as the page of rates names it.",
	"date": "A day of the period. Without it: the newest period that is over.",
}

// textParams describes parameters that take text. Those that end in ! are needed.
func textParams(names []string) (list []query.ParamInfo) {
	for _, name := range names {
		name, needed := strings.CutSuffix(name, "!")
		list = append(list, query.ParamInfo{Name: name, Words: textWords[name], Type: query.TextParam, Most: 200, Needed: needed})
	}
	return list
}

// Statuses lists the statuses other than 200 with which programs have to reckon.
func (o Operation) Statuses() []int {
	switch {
	case o.Open && o.Shape != nil:
		return []int{503}
	case o.Open:
		return nil
	case o.Proxied != "":
		return []int{400, 401, 403, 404, 429, 502, 503}
	}
	list := []int{401, 403, 404, 429, 500, 503}
	if o.Tagged {
		list = append(list, 304)
	}
	if len(o.Params) > 0 || o.Kind != nil {
		list = append(list, 400)
	}
	if o.Unready {
		list = append(list, 409)
	}
	if o.Need == access.MayConsole {
		list = append(list, 502)
	}
	slices.Sort(list)
	return list
}
