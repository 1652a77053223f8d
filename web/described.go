package web

import (
	"reflect"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/export"
	forecastreport "rebatedesk/reports/forecast"
	monthreport "rebatedesk/reports/months"
	"rebatedesk/reports/query"
	"rebatedesk/web/api"
	"rebatedesk/web/console"
	"rebatedesk/web/forecast"
)

// describedFiles describe what programs may ask besides the files of reports, which
// [Server.downloads] describes.
func describedFiles() []api.Operation {
	none := query.AcceptedParams{Taken: []string{"none"}}
	list := []api.Operation{
		{Path: "/healthz", Open: true, Words: "Whether the process answers.", Media: "text/plain"},
		{Path: "/readyz", Open: true, Words: "Whether the server can serve useful pages: each check in plain words, the engine of the database, and who holds which lease.", Media: "application/json", Shape: reflect.TypeFor[jsonReadiness]()},
		{Path: api.DocumentPath, Words: "The description that you read, as OpenAPI 3.1.", Media: "application/json"},
		{Path: "/forecast.json", Params: forecastreport.AcceptedOfForecast.Describe(), Media: "application/json", Shape: forecast.AnswerType(), Unready: true},
		api.OtherFile("/rates/terms.csv", "The terms file: the agreed rates, as they can be imported.", agreed.AcceptedOfTerms),
		api.OtherFile("/people/import.csv", "The people file, as it can be imported.", none),
		api.OtherFile("/people/import.xlsx", "The people file as a workbook.", none),
		api.OtherFile("/statements/:number/statement.pdf", "A statement as it was issued, as PDF.", none),
		api.OtherFile("/statements/:number/statement.xlsx", "A statement as it was issued, as a workbook.", none),
		unready(api.OtherFile("/months/:month.zip", "The signed evidence pack of a closed month. The same bytes each time.", none)),
		api.OtherFile("/invitees/:uid.zip", "The signed evidence pack of an invitee. Without as_of and days the answer is a redirect to the address that has them, which gives the same bytes each time.",
			query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "as_of"}}),
		withTexts(api.OtherFile("/payments/line.zip", "The signed evidence pack of a line of payments.", query.AcceptedParams{Taken: []string{"as_of"}}), "account!", "coin!", "kind!", "start!", "end!", "bill"),
		withTexts(api.OtherFile("/rates/finding.zip", "The signed evidence pack of a finding about rates.", query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q", "as_of"}}), "finding!"),
	}
	for _, of := range []string{"/summaries/deliveries/:id", "/summaries/:id/preview"} {
		what, dated := "a mail that was sent", []string(nil)
		if of == "/summaries/:id/preview" {
			what, dated = "the preview of a summary", []string{"date"}
		}
		list = append(list, withTexts(api.OtherFile(of+"/message.eml", "The message of "+what+".", none), dated...),
			withTexts(api.OtherFile(of+"/attached.csv", "The CSV file attached to "+what+".", none), dated...),
			withTexts(api.OtherFile(of+"/attached.xlsx", "The workbook attached to "+what+".", none), dated...))
	}
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		list = append(list, api.ReportFile("/months/:month."+string(format), reports.ExportMonth, format, monthreport.AcceptedOfMonth))
	}
	return list
}

// unready marks what may have no answer yet.
func unready(o api.Operation) api.Operation {
	o.Unready = true
	return o
}

// withTexts adds parameters of one page, which take text. Those that end in ! are needed.
func withTexts(o api.Operation, names ...string) api.Operation {
	words := map[string]string{
		"coin": "Coin of the line.", "account": "Account of the line.", "kind": "direct, sub or all.", "start": "First instant of the period, milliseconds.",
		"end": "End of the period, milliseconds.", "bill": "Id of the bill, for a line without a period.", "finding": "The finding, as the page of rates names it.",
		"date": "A day of the period. Without it: the newest period that is over.",
	}
	for _, name := range names {
		name, needed := strings.CutSuffix(name, "!")
		o.Params = append(o.Params, query.ParamInfo{Name: name, Words: words[name], Type: query.TextParam, Most: 200, Needed: needed})
	}
	return o
}

// describe describes everything that is registered and that programs may read by a token, in
// the order of the route table.
func (s *Server) describe(ofConsole *console.Area) {
	all := append(describedFiles(), s.described...)
	if ofConsole != nil {
		for _, d := range ofConsole.DescribeFiles() {
			o := api.Operation{Path: d.Path, Words: d.Words, Params: d.Params, Media: "text/csv"}
			for _, name := range d.Columns {
				o.Columns = append(o.Columns, export.ColumnInfo{Name: name, Type: "text"})
			}
			all = append(all, o)
		}
	}
	registered := map[string]bool{}
	for _, r := range s.app.GetRoutes(true) {
		registered[r.Method+" "+r.Path] = true
	}
	for _, r := range routeTable {
		i := slices.IndexFunc(all, func(o api.Operation) bool { return o.Path == r.Path })
		if i < 0 || r.Method != fiber.MethodGet || !registered[r.Method+" "+r.Path] {
			continue
		}
		all[i].Need = access.Permission(r.Need)
		s.api.Operations = append(s.api.Operations, all[i])
	}
	if ofConsole == nil {
		return
	}
	for _, d := range console.DescribeProxy() {
		s.api.Operations = append(s.api.Operations, api.Operation{Method: d.Method, Path: d.Path, Need: access.MayConsole, Proxied: d.Name, Media: "application/json"})
	}
}

// apiRoutes registers the description of the interface for programs.
func (s *Server) apiRoutes() {
	s.get(api.DocumentPath, s.api.Document)
	s.get(api.PagePath, s.api.Page)
}

// Description returns the description of the server's interface for programs, as OpenAPI.
func (s *Server) Description() ([]byte, error) { return s.api.Text() }
