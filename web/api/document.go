package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go/openapi31"

	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
)

// Version is the version of the interface for programs, not of the program: the last number
// grows with what is added, the first with what programs have to change for.
const Version = "1.0.0"

// schema is a JSON schema, or a part of one.
type schema = map[string]any

const (
	problemMedia  = handler.ProblemMedia
	tokenScheme   = "token"
	schemaPrefix  = "#/components/schemas/"
	decimalFormat = `^-?[0-9]+(\.[0-9]+)?$`
)

// Document returns the description of operations. server is the public address of the program;
// without it the addresses are relative to that of the document.
func Document(operations []route.Operation, server string) (*openapi31.Spec, error) {
	b := builder{schemas: map[string]schema{}, all: operations}
	spec := &openapi31.Spec{Openapi: "3.1.0", Paths: &openapi31.Paths{MapOfPathItemValues: map[string]openapi31.PathItem{}}}
	spec.Info = openapi31.Info{Title: "Rebatedesk", Version: Version, Summary: ptr("Affiliate commission, payments and invitees for programs"), Description: ptr(about)}
	spec.Info.License = &openapi31.License{Name: "MIT", Identifier: ptr("MIT")}
	if server == "" {
		server = "/"
	}
	spec.Servers = []openapi31.Server{{URL: server, Description: ptr("This server")}}
	if err := b.reflected("Problem", reflect.TypeFor[handler.ProblemBody]()); err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, o := range operations {
		operation, err := b.operation(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Path, err)
		}
		item := spec.Paths.MapOfPathItemValues[o.Address()]
		if o.Method == "POST" {
			item.Post = operation
		} else {
			item.Get = operation
		}
		spec.Paths.MapOfPathItemValues[o.Address()] = item
		used[o.Noun()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		about, _ := sectionOf(operations, name)
		spec.Tags = append(spec.Tags, openapi31.Tag{Name: name, Description: ptr(about.words)})
	}
	spec.Components = &openapi31.Components{Schemas: b.schemas, Responses: responses(), Headers: headers(), SecuritySchemes: map[string]openapi31.SecuritySchemeOrReference{
		tokenScheme: {SecurityScheme: &openapi31.SecurityScheme{Description: ptr(aboutTokens), HTTPBearer: &openapi31.SecuritySchemeHTTPBearer{Scheme: "bearer"}}},
	}}
	return spec, nil
}

const about = "Every report page answers under its address with .json, .csv and .xlsx, with the same query string, the same rows and the same order. " +
	"This description is made from the same tables as the pages. Within a version, fields, columns, parameters and values may be added, and nothing is removed or changes its meaning: " +
	"programs ignore what they do not know. What has to go is marked as deprecated for at least twelve months first. " +
	"Amounts are exact decimals as text; null is unknown and never zero; times are UTC; days are those of the reporting zone."

const aboutTokens = "An API token, as Authorization: Bearer. Make one on the page of your account, or by webapp token create. " +
	"Scopes: read covers .json; export also covers .csv, .xlsx and other files; console covers the reading endpoints of the exchange; trade also covers orders. " +
	"A token never allows more than the role of its user, and a user who sees some invitees only gets answers about these alone; what cannot be divided by invitee is 404 for such a user."

func ptr[T any](value T) *T { return &value }

type builder struct {
	all     []route.Operation
	schemas map[string]schema
}

func (b *builder) operation(o route.Operation) (*openapi31.Operation, error) {
	out := &openapi31.Operation{ID: ptr(o.ID()), Tags: []string{o.Noun()}, Summary: ptr(b.summary(o)), Description: ptr(b.words(o))}
	for _, name := range route.PathParams(o.Path) {
		out.Parameters = append(out.Parameters, parameter(openapi31.Parameter{Name: name, In: "path", Required: ptr(true), Description: ptr(pathWords[name]), Schema: pathSchema(name)}))
	}
	for _, info := range o.Params {
		one := openapi31.Parameter{Name: info.Name, In: "query", Description: ptr(info.Words), Schema: schemaOf(info), Explode: explode(info)}
		if info.Needed {
			one.Required = ptr(true)
		}
		out.Parameters = append(out.Parameters, parameter(one))
	}
	if o.Tagged {
		out.Parameters = append(out.Parameters, parameter(openapi31.Parameter{Name: "If-None-Match", In: "header", Description: ptr("The ETag of an earlier answer. If nothing changed, the answer is 304."), Schema: schema{"type": "string"}}))
	}
	answer, err := b.answer(o)
	if err != nil {
		return nil, err
	}
	out.Responses = &openapi31.Responses{MapOfResponseOrReferenceValues: map[string]openapi31.ResponseOrReference{"200": {Response: answer}}}
	if o.Moves {
		out.Responses.MapOfResponseOrReferenceValues["302"] = openapi31.ResponseOrReference{Response: &openapi31.Response{Description: "The address with the instant and the days, which gives the same bytes each time."}}
	}
	for _, status := range o.Statuses() {
		if status == 503 && o.Open {
			out.Responses.MapOfResponseOrReferenceValues["503"] = openapi31.ResponseOrReference{Response: &openapi31.Response{Description: "Not ready: a check that matters failed.", Content: answer.Content}}
			continue
		}
		out.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(status)] = openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + responseName(status, o.Proxied != "")}}
	}
	if o.Open {
		out.Security = []map[string][]string{{}}
	}
	for _, scope := range o.Scopes() {
		out.Security = append(out.Security, map[string][]string{tokenScheme: {string(scope)}})
	}
	return out, nil
}

func (b *builder) answer(o route.Operation) (*openapi31.Response, error) {
	answer := &openapi31.Response{Description: "The answer.", Headers: map[string]openapi31.HeaderOrReference{}}
	if !o.Open {
		for _, name := range []string{"RateLimit-Policy", "RateLimit"} {
			answer.Headers[name] = headerRef(name)
		}
	}
	if o.Tagged {
		answer.Headers["ETag"] = headerRef("ETag")
	}
	if o.Pages {
		answer.Headers["Link"] = headerRef("Link")
	}
	var of schema
	switch {
	case o.Proxied != "":
		answer.Description = "The exchange's own answer, whatever its status. See the interface document of the exchange."
		of = schema{"description": "As the exchange sends it."}
	case o.JSON() && o.Shape != nil:
		name := shapeName(o)
		if err := b.reflected(name, o.Shape); err != nil {
			return nil, err
		}
		of = schema{"$ref": schemaPrefix + name}
	case o.JSON() && o.Kind != nil:
		name, err := b.table(o)
		if err != nil {
			return nil, err
		}
		of = schema{"$ref": schemaPrefix + name}
	case o.JSON():
		of = schema{"type": "object"}
	case strings.HasPrefix(o.Media, "text/"):
		of = schema{"type": "string"}
	default:
		of = schema{"type": "string", "contentMediaType": o.Media}
	}
	answer.Content = map[string]openapi31.MediaType{o.Media: {Schema: of}}
	return answer, nil
}

// shapeName names the schema of an answer of its own shape.
func shapeName(o route.Operation) string {
	if o.Kind != nil {
		return route.Camel(o.Kind.String()) + "Report"
	}
	return route.Camel(o.ID()) + "Answer"
}

// table adds the schemas of a table with its metadata.
func (b *builder) table(o route.Operation) (string, error) {
	name := route.Camel(o.Kind.String())
	if b.schemas[name+"List"] != nil {
		return name + "List", nil
	}
	facts, err := reflection(reflect.TypeFor[export.Metadata]())
	if err != nil {
		return "", err
	}
	row := schema{"type": "object", "properties": schema{}, "required": []any{}}
	sums := schema{"type": "object", "additionalProperties": false, "required": []any{"coin", "rows"}, "description": "Exact sums of the rows of one coin.",
		"properties": schema{"coin": schema{"type": "string"}, "rows": schema{"type": "integer"}}}
	for _, c := range o.Columns {
		of := columnSchema(c)
		of["description"] = c.Words
		row["properties"].(schema)[c.Name] = of
		row["required"] = append(row["required"].([]any), c.Name)
		if c.Summed {
			sums["properties"].(schema)[c.Name] = schema{"type": "string", "pattern": decimalFormat}
			sums["required"] = append(sums["required"].([]any), c.Name)
		}
	}
	b.schemas[name+"Row"] = row
	b.schemas[name+"Sums"] = sums
	properties := facts["properties"].(schema)
	for member, of := range map[string]schema{
		"columns": {"type": "array", "items": schema{"type": "object", "required": []any{"name", "type"},
			"properties": schema{"name": schema{"type": "string"}, "type": schema{"type": "string", "enum": []any{"text", "uid", "integer", "decimal", "time", "day", "boolean"}}}}},
		"rows":      {"type": "array", "items": schema{"$ref": schemaPrefix + name + "Row"}},
		"row_count": {"type": "integer", "description": "Rows of this answer."},
		"sums":      {"type": "array", "items": schema{"$ref": schemaPrefix + name + "Sums"}, "description": "Exact sums of these rows, per coin."},
		"next":      {"type": []any{"string", "null"}, "description": "Address of the next part, if limit or cursor was given; null: this is the last part."},
	} {
		properties[member] = of
	}
	facts["required"] = append(facts["required"].([]any), "columns", "rows", "row_count", "sums")
	b.schemas[name+"List"] = facts
	return name + "List", nil
}

func columnSchema(c export.ColumnInfo) schema {
	of := schema{"type": []any{"string", "null"}}
	switch c.Type {
	case "integer", "boolean":
		of["type"] = []any{c.Type, "null"}
	case "decimal":
		of["pattern"] = decimalFormat
	case "time":
		of["format"] = "date-time"
	case "day":
		of["format"] = "date"
	}
	return of
}

// reflected adds the schema of a type.
func (b *builder) reflected(name string, t reflect.Type) (err error) {
	if b.schemas[name] == nil {
		b.schemas[name], err = reflection(t)
	}
	return err
}

// reflection returns the schema of a type as encoding/json writes it. Members without
// omitempty are always there, and lists are never null.
func reflection(t reflect.Type) (schema, error) {
	r := jsonschema.Reflector{}
	r.AddTypeMapping(decimal.Decimal{}, "")
	made, err := r.Reflect(reflect.New(t).Elem().Interface(), jsonschema.InlineRefs, jsonschema.InterceptProp(func(p jsonschema.InterceptPropParams) error {
		if p.Processed && !strings.Contains(p.Field.Tag.Get("json"), ",omitempty") && !slices.Contains(p.ParentSchema.Required, p.Name) {
			p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
		}
		return nil
	}))
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	text, err := made.JSONSchemaBytes()
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	var of schema
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	listsAreNeverNull(of)
	return of, nil
}

func listsAreNeverNull(of any) {
	switch of := of.(type) {
	case []any:
		for _, one := range of {
			listsAreNeverNull(one)
		}
	case schema:
		if types, ok := of["type"].([]any); ok && slices.Contains(types, any("array")) {
			of["type"] = "array"
		}
		for _, one := range of {
			listsAreNeverNull(one)
		}
	}
}

func parameter(p openapi31.Parameter) openapi31.ParameterOrReference {
	return openapi31.ParameterOrReference{Parameter: &p}
}

// explode is false for lists: a=1,2 and not a=1&a=2.
func explode(info query.ParamInfo) *bool {
	if info.Type == query.ChoicesParam || info.Type == query.ListParam {
		return ptr(false)
	}
	return nil
}

func schemaOf(info query.ParamInfo) schema {
	of := schema{"type": "string"}
	choices := make([]any, len(info.Choices))
	for i, choice := range info.Choices {
		choices[i] = choice
	}
	switch info.Type {
	case query.DayParam:
		of["format"] = "date"
	case query.MonthParam:
		of["pattern"] = `^[0-9]{4}-[0-9]{2}$`
	case query.NumberParam:
		of = schema{"type": "integer", "minimum": 1, "maximum": info.Most}
	case query.ChoiceParam:
		of["enum"] = choices
	case query.ChoicesParam:
		of = schema{"type": "array", "items": schema{"type": "string", "enum": choices}}
	case query.ListParam:
		of = schema{"type": "array", "items": schema{"type": "string"}}
	case query.TextParam:
		of["maxLength"] = info.Most
	}
	switch n, err := strconv.Atoi(info.Default); {
	case info.Default == "":
	case info.Type == query.NumberParam && err == nil:
		of["default"] = n
	default:
		of["default"] = info.Default
	}
	return of
}

var pathWords = map[string]string{
	"uid":     "UID of the invitee or sub-affiliate at the exchange.",
	"month":   "Calendar month, as 2026-09.",
	"account": "Account of the exchange, by its name in this program.",
	"symbol":  "Trading pair, as the exchange writes it.",
	"id":      "Number in the list of the page.",
	"number":  "Number of the statement.",
}

func pathSchema(name string) schema {
	of := schema{"type": "string"}
	if name == "month" {
		of["pattern"] = `^[0-9]{4}-[0-9]{2}$`
	}
	return of
}

// summary names an operation in a few words.
func (b *builder) summary(o route.Operation) string {
	about, _ := sectionOf(b.all, o.Noun())
	title := about.title
	switch {
	case o.Proxied != "":
		return "Exchange: " + o.Proxied
	case o.Words != "":
		return strings.TrimSuffix(o.Words, ".")
	}
	if of := route.PathParams(o.Path); len(of) > 0 {
		title += ": one by its " + of[0]
	}
	if format := o.Path[strings.LastIndex(o.Path, ".")+1:]; format != "json" {
		title += " as " + strings.ToUpper(format)
	}
	return title
}

func (b *builder) words(o route.Operation) string {
	if o.Words != "" {
		return o.Words
	}
	about, _ := sectionOf(b.all, o.Noun())
	text := about.words
	if o.Proxied != "" {
		return text
	}
	if !o.JSON() && len(o.Columns) > 0 {
		names := make([]string, len(o.Columns))
		for i, c := range o.Columns {
			names[i] = c.Name
		}
		text += " Columns: " + strings.Join(names, ", ") + "."
	}
	return text
}

var responseWords = map[int]string{
	304: "Nothing has changed since the answer with this ETag.", 400: "A parameter is invalid. The problem names it and the valid values.",
	401: "The token is missing, wrong, revoked or expired.", 403: "The role or the scopes of the token do not allow it.",
	404: "There is nothing at this address, or nothing that the user may see.", 409: "There is no answer yet, such as a figure that is not known or a pack of a month that is not closed. The detail says what is missing.",
	429: "Too many requests. Retry-After says when to try again.", 500: "The server failed. The log has more under the instance.",
	502: "The exchange did not answer as it should, or it is not known whether it did.", 503: "The server is busy, or something that it needs cannot be reached. Nothing was changed.",
}

func responseName(status int, proxied bool) string {
	if proxied {
		return "Proxy" + strconv.Itoa(status)
	}
	return "Problem" + strconv.Itoa(status)
}

func responses() map[string]openapi31.ResponseOrReference {
	all := map[string]openapi31.ResponseOrReference{}
	for status, text := range responseWords {
		answer := &openapi31.Response{Description: text}
		switch status {
		case 304:
			answer.Headers = map[string]openapi31.HeaderOrReference{"ETag": headerRef("ETag")}
		default:
			answer.Content = map[string]openapi31.MediaType{problemMedia: {Schema: schema{"$ref": schemaPrefix + "Problem"}}}
		}
		if status == 429 || status == 503 {
			answer.Headers = map[string]openapi31.HeaderOrReference{"Retry-After": headerRef("Retry-After")}
		}
		all[responseName(status, false)] = openapi31.ResponseOrReference{Response: answer}
		if status == 304 || status == 500 || status == 409 {
			continue
		}
		own := &openapi31.Response{Description: text + " Without the header X-Rebatedesk, status and body are the exchange's.", Headers: map[string]openapi31.HeaderOrReference{"X-Rebatedesk": headerRef("X-Rebatedesk")},
			Content: map[string]openapi31.MediaType{"application/json": {Schema: schema{"type": "object", "required": []any{"code", "msg", "requestTime", "data"}, "properties": schema{
				"code": schema{"type": "string"}, "msg": schema{"type": "string"}, "requestTime": schema{"type": []any{"integer", "string"}}, "data": schema{}}}}}}
		all[responseName(status, true)] = openapi31.ResponseOrReference{Response: own}
	}
	return all
}

var headerWords = map[string]string{
	"ETag":             "State of the answer, a weak tag. Send it as If-None-Match.",
	"Link":             `Address of the next part of the list, rel="next".`,
	"RateLimit-Policy": "How many requests a token may send within seconds: q requests, w seconds.",
	"RateLimit":        "How many requests it may still send at once (r), and seconds until all of them (t).",
	"Retry-After":      "Seconds until another try is worthwhile.",
	"X-Rebatedesk":     "Set on answers of this server: refused, forbidden, blocked, unknown, not-sent or dry-run.",
}

func headers() map[string]openapi31.HeaderOrReference {
	all := map[string]openapi31.HeaderOrReference{}
	for name, text := range headerWords {
		all[name] = openapi31.HeaderOrReference{Header: &openapi31.Header{Description: ptr(text), Schema: schema{"type": "string"}}}
	}
	return all
}

func headerRef(name string) openapi31.HeaderOrReference {
	return openapi31.HeaderOrReference{Reference: &openapi31.Reference{Ref: "#/components/headers/" + name}}
}
