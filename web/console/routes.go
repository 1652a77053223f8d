package console

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// Routes are the addresses that the pages of the console share.
func (s *Base) Routes() []route.Route {
	return []route.Route{route.Private(streamPath, access.MayConsole, s.Stream)}
}

// SheetRoutes are the page of a sheet and its file.
func (s *Base) SheetRoutes(sh Sheet, page fiber.Handler) []route.Route {
	return []route.Route{sh.Route(page), s.FileRoute(sh.Path, sh, s.SheetFile(sh))}
}

// FileRoute is the file of a sheet, as programs are told about it.
func (s *Base) FileRoute(path string, sh Sheet, file fiber.Handler) route.Route {
	params := []query.ParamInfo{OfAccount}
	for _, f := range sh.Fields {
		params = append(params, paramOf(f))
	}
	return route.Page(path+".csv", access.MayConsole, file).Describe(sh.Operation(sh.About+", as the exchange answers now.", params))
}

// Route is the page of a sheet, whose file is described by itself.
func (sh Sheet) Route(page fiber.Handler) route.Route {
	return route.Page(sh.Path, access.MayConsole, page).Help(sh.Title, sh.Answers, sh.Terms...).Found("console", "console "+sh.Words).CSVAt(sh.Path)
}

// OfAccount is the parameter that every page and file takes.
var OfAccount = query.ParamInfo{Name: AccountParam, Type: query.TextParam, Most: 100, Words: "Account of the exchange, by its name in this program. Without it: the first."}

// Operation is what programs are told about a file with the columns of a sheet.
func (sh Sheet) Operation(words string, params []query.ParamInfo) route.Operation {
	o := route.Operation{Words: words, Params: params, Media: "text/csv"}
	for _, column := range sh.Columns {
		o.Columns = append(o.Columns, export.ColumnInfo{Name: column.Name, Words: export.WordsOf(column.Name), Type: "text"})
	}
	return o
}

// paramOf describes a field of a form.
func paramOf(f frame.Field) query.ParamInfo {
	info := query.ParamInfo{Name: f.Name, Type: query.TextParam, Most: 100, Words: strings.TrimSuffix(f.Label, ".") + ".", Needed: f.Needed}
	if len(f.Options) > 0 {
		info.Type, info.Choices = query.ChoiceParam, f.Options
	}
	return info
}

// tabList are the tabs of the console. A tab leads to its first part; parts that stand below it
// are shown on each of them.
var tabList = []struct {
	label string
	parts []ui.Tab
}{
	{"Overview", []ui.Tab{{Path: "/console"}}},
	{"Market", []ui.Tab{{Path: frame.MarketsPath, Label: "Spot pairs"}, {Path: "/console/contracts", Label: "Contracts"}, {Path: "/console/currencies", Label: "Coins"}}},
	{"Trade", []ui.Tab{{Path: frame.TicketPath}}},
	{"Orders", []ui.Tab{{Path: frame.OrdersPath}}},
	{"Account", []ui.Tab{{Path: frame.FillsPath, Label: "Fills"}, {Path: "/console/bills", Label: "Spot bills"}, {Path: "/console/funding", Label: "Funding bills"}, {Path: "/console/transfers", Label: "Transfers"}}},
	{"Log", []ui.Tab{{Path: frame.IntentsPath}}},
}

// tabsFor returns the tabs, and for a page its tab and the parts of that.
func tabsFor(path string) (tabs []ui.Tab, here string, parts []ui.Tab, part string) {
	for _, t := range tabList {
		tabs = append(tabs, ui.Tab{Path: t.parts[0].Path, Label: t.label})
		at := slices.IndexFunc(t.parts, func(p ui.Tab) bool {
			return path == p.Path || p.Path != "/console" && strings.HasPrefix(path, p.Path+"/")
		})
		if at < 0 {
			continue
		}
		here, part = t.parts[0].Path, t.parts[at].Path
		if len(t.parts) > 1 {
			parts = t.parts
		}
	}
	return tabs, here, parts, part
}
