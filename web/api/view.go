package api

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/api"
)

func (a *Area) view(c *fiber.Ctx) (v api.DocsView, err error) {
	v.Server = a.server
	if v.Server == "" {
		v.Server = strings.TrimSuffix(c.BaseURL(), "/")
	}
	requests, within := access.TokenPolicy()
	v.Version, v.Requests, v.Seconds, v.MostRows = Version, requests, int(within.Seconds()), handler.MostRows
	for _, kind := range handler.ProblemKinds() {
		v.Problems = append(v.Problems, api.ProblemLine(kind))
	}
	v.Events = findings.Events()
	place, err := a.places(c)
	if err != nil {
		return v, err
	}
	b := builder{all: a.Operations, schemas: map[string]schema{}}
	byNoun := map[string][]route.Operation{}
	for _, o := range a.Operations {
		byNoun[o.Noun()] = append(byNoun[o.Noun()], o)
	}
	names := slices.SortedFunc(maps.Keys(byNoun), func(x, y string) int {
		_, i := sectionOf(a.Operations, x)
		_, j := sectionOf(a.Operations, y)
		return i - j
	})
	for _, name := range names {
		about, _ := sectionOf(a.Operations, name)
		section := api.Section{ID: name, Title: about.title, Words: about.words}
		for _, o := range byNoun[name] {
			line, err := b.line(o, v.Server, place)
			if err != nil {
				return v, err
			}
			if last := len(section.Lines) - 1; last >= 0 && o.Kind != nil && stem(section.Lines[last].Address) == stem(line.Address) {
				// The formats of a report are one entry, that of its JSON.
				line.Formats = append(section.Lines[last].Formats, line.Formats...)
				section.Lines[last] = line
				continue
			}
			section.Lines = append(section.Lines, line)
		}
		v.Sections = append(v.Sections, section)
	}
	return v, nil
}

func stem(address string) string { return address[:strings.LastIndex(address, ".")] }

func (b *builder) line(o route.Operation, server string, at places) (api.Line, error) {
	line := api.Line{Method: "GET", Address: o.Address(), Words: o.Words, Anchor: o.ID(), Formats: []string{o.Address()}, InPath: route.PathParams(o.Path), Columns: o.Columns}
	if o.Method != "" {
		line.Method = o.Method
	}
	if o.Proxied != "" {
		line.Words = strings.ToUpper(o.Proxied[:1]) + o.Proxied[1:] + "."
	}
	for _, scope := range o.Scopes() {
		line.Scopes = append(line.Scopes, string(scope))
	}
	for _, name := range line.InPath {
		line.Params = append(line.Params, query.ParamInfo{Name: name, Words: pathWords[name]})
	}
	line.Params = append(line.Params, o.Params...)
	if o.Proxied != "" {
		return line, nil
	}
	line.Curl = curl(o, server, at)
	if !o.JSON() || o.Path == DocumentPath {
		return line, nil
	}
	answer, err := b.answer(o)
	if err != nil {
		return line, err
	}
	line.Answer, err = example(b.schemas, answer.Content[o.Media].Schema)
	return line, err
}

// places are values of paths that exist in the data of the one who reads the page.
type places struct{ invitee, subAffiliate, month, account string }

// places looks up one of each; those that do not exist stay as examples.
func (a *Area) places(c *fiber.Ctx) (at places, err error) {
	at = places{invitee: "4667776811", subAffiliate: "4667776811", account: "main"}
	desk := a.Reports(c)
	basis, err := desk.Basis(c.UserContext())
	if err != nil {
		return at, err
	}
	basis.AcceptedParams = query.AcceptedParams{Taken: []string{"range"}, Usual: query.AllTime}
	all, err := query.Parse(url.Values{}, basis)
	if err != nil {
		return at, err
	}
	at.month = all.Today.Format("2006-01")
	all.Per, all.Sort = 1, handler.MostEarned
	list, err := reports.Ask(c.UserContext(), desk, all, invitees.MakeList)
	if err != nil {
		return at, err
	}
	if len(list.Lines) > 0 {
		at.invitee, at.account = string(list.Lines[0].UID), string(list.Lines[0].Account)
	}
	if !a.Who(c).Bound.Everything() {
		return at, nil // they cannot be divided
	}
	all.Sort = query.Sort{Field: "paid", Descending: true}
	subs, err := reports.Ask(c.UserContext(), desk, all, subaffiliates.Make)
	if err == nil && len(subs.Lines) > 0 {
		at.subAffiliate = string(subs.Lines[0].UID)
	}
	return at, err
}

// curl returns a command that works as it is written, with the token in the variable TOKEN. Files
// of one thing that a user made, such as a statement, have none: there may be no such thing.
func curl(o route.Operation, server string, at places) string {
	made := slices.ContainsFunc(route.PathParams(o.Path), func(name string) bool { return name == "id" || name == "number" })
	if made || o.Media == "application/zip" {
		return ""
	}
	uid := at.invitee
	if o.Noun() == "sub-affiliates" {
		uid = at.subAffiliate
	}
	path := strings.NewReplacer("{uid}", url.PathEscape(uid), "{month}", at.month, "{symbol}", "BTCUSDT", "{account}", url.PathEscape(at.account)).Replace(o.Address())
	values := url.Values{}
	for _, info := range o.Params {
		switch {
		case info.Name == "range" && slices.Contains(info.Choices, "7d") && o.Kind != nil:
			values.Set("range", "7d")
		case info.Name == "limit":
			values.Set("limit", "2")
		}
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	command := "curl --fail-with-body"
	if !o.Open {
		command += ` -H "Authorization: Bearer $TOKEN"`
	}
	if !strings.HasPrefix(o.Media, "text/") && o.Media != "application/json" {
		command += " -OJ"
	}
	return command + " '" + server + path + "'"
}

// example returns an answer of a schema: each member with a value of its form, and lists with
// one element.
func example(schemas map[string]schema, of schema) (string, error) {
	text, err := json.MarshalIndent(exampleOf(schemas, "", of), "", "  ")
	return string(text), err
}

var exampleTexts = map[string]string{
	"coin": "USDT", "uid": "4667776811", "account": "main", "product_type": "SPOT", "symbol": "BTCUSDT", "source_type": "direct", "invite_code": "SPRING", "date": "2026-09-07",
	"month": "2026-09", "timezone": "UTC", "kind": "direct", "from": "2026-09-01", "to": "2026-09-07", "level": "0.8", "as_of": "2026-09-07T12:00:00Z", "written": "2026-09-07T12:00:00Z",
	"name": "commission", "type": "decimal", "state": "ready", "rate": "0.4", "agreed_rate": "0.4", "paid_rate": "0.4",
}

func exampleOf(schemas map[string]schema, name string, of schema) any {
	if ref, ok := of["$ref"].(string); ok {
		return exampleOf(schemas, name, schemas[strings.TrimPrefix(ref, schemaPrefix)])
	}
	kind, _ := of["type"].(string)
	if list, ok := of["type"].([]any); ok {
		for _, one := range list {
			if one != "null" {
				kind, _ = one.(string)
			}
		}
	}
	switch kind {
	case "object":
		made := map[string]any{}
		members, _ := of["properties"].(schema)
		for member, part := range members {
			if part, ok := part.(schema); ok {
				made[member] = exampleOf(schemas, member, part)
			}
		}
		return made
	case "array":
		items, _ := of["items"].(schema)
		return []any{exampleOf(schemas, name, items)}
	case "integer", "number":
		return 2
	case "boolean":
		return true
	}
	switch {
	case name == "next":
		return nil
	case of["format"] == "date-time":
		return "2026-09-07T12:00:00.000Z"
	case of["format"] == "date":
		return "2026-09-07"
	case exampleTexts[name] != "":
		return exampleTexts[name]
	case of["pattern"] == decimalFormat:
		return "12.5"
	}
	return "text"
}
