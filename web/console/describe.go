package console

import (
	"strings"

	"rebatedesk/exchange"
	"rebatedesk/reports/query"
	templates "rebatedesk/web/templates/console"
)

// FileDescription describes a file of the console to those who write programs.
type FileDescription struct {
	Path    string // as Fiber matches it
	Words   string
	Params  []query.ParamInfo
	Columns []string
}

// DescribeFiles describes the files of the console.
func (s *Area) DescribeFiles() []FileDescription {
	pair := pairSheet("")
	pair.Path = MarketsPath + "/:symbol"
	var list []FileDescription
	for _, sh := range append(s.Sheets(), pair) {
		d := FileDescription{Path: sh.Path + ".csv", Words: sh.about + ", as the exchange answers now.", Params: []query.ParamInfo{
			{Name: accountParam, Type: query.TextParam, Most: 100, Words: "Account of the exchange, by its name in this program. Without it: the first."}}}
		for _, f := range sh.fields {
			d.Params = append(d.Params, paramOf(f))
		}
		for _, column := range sh.columns {
			d.Columns = append(d.Columns, column.Name)
		}
		list = append(list, d)
	}
	for _, h := range s.Histories() {
		list = append(list, describeHistory(h))
	}
	return list
}

// describeHistory describes the file of a range of days.
func describeHistory(h history) FileDescription {
	d := FileDescription{Path: h.Path + ".csv", Words: h.about + ", of a range of days.", Params: append([]query.ParamInfo{
		{Name: accountParam, Type: query.TextParam, Most: 100, Words: "Account of the exchange, by its name in this program. Without it: the first."}},
		historyParams.Describe()...)}
	for _, column := range h.columns {
		d.Columns = append(d.Columns, column.Name)
	}
	return d
}

func paramOf(f templates.ConsoleField) query.ParamInfo {
	info := query.ParamInfo{Name: f.Name, Type: query.TextParam, Most: 100, Words: strings.TrimSuffix(f.Label, ".") + ".", Needed: f.Needed}
	if len(f.Options) > 0 {
		info.Type, info.Choices = query.ChoiceParam, f.Options
	}
	return info
}

// ProxyDescription describes a reading endpoint of the exchange behind the proxy.
type ProxyDescription struct {
	Method, Path, Name, Section string
}

// DescribeProxy describes the endpoints that programs may read through the proxy. The server's time
// has no section of the interface document, and the proxy does not forward it.
func DescribeProxy() (list []ProxyDescription) {
	for _, e := range exchange.Endpoints() {
		if e.Reading && e.Section != "" && strings.Contains(e.Path, "/v2/") {
			list = append(list, ProxyDescription{e.Method, strings.TrimSuffix(proxyPrefix, "/") + "/:account" + e.Path, e.Name, e.Section})
		}
	}
	return list
}
