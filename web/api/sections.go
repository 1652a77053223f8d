package api

import (
	"slices"

	"rebatedesk/web/route"
)

// noun is a section of the description.
type noun struct{ name, title, words string }

// nouns are the sections that have no report, in their order after those of reports.
var nouns = []noun{
	{"forecast", "Forecast", "Where a month or another range will end. 409 says which days are missing."},
	{"statements", "Statements", "Statements to sub-affiliates as they were issued."},
	{"summaries", "Summaries", "Mails with summaries: the message, and the files that are attached to it."},
	{"people", "People", "Who is behind a UID: the people file."},
	{"prices", "Prices", "Prices of coins that were imported for days without a collected one, and the days that lack one."},
	{"console", "Console", "What the exchange itself answers now, as files. Needs the scope console."},
	{"proxy", "Proxy of the exchange", "The exchange's own endpoints. Status, content type and body are the exchange's, unchanged; what this server answers by itself carries the header X-Rebatedesk and an envelope of its own. Only endpoints that read are described here: endpoints for orders need the scope trade and are in the documentation of the exchange."},
	{"health", "Health", "Whether the program runs and can serve pages. Open to everybody."},
	{"openapi", "This description", "The description that you read, for programs."},
}

// sectionOf returns the section of a noun: that of its report, with the number of its place.
func sectionOf(all []route.Operation, name string) (noun, int) {
	if i := slices.IndexFunc(nouns, func(n noun) bool { return n.name == name }); i >= 0 {
		return nouns[i], len(all) + i
	}
	i := slices.IndexFunc(all, func(o route.Operation) bool {
		return o.Noun() == name && len(route.PathParams(o.Path)) == 0 && o.Kind != nil && o.Kind.Title != ""
	})
	if i < 0 {
		return noun{name: name}, len(all) + len(nouns)
	}
	return noun{name, all[i].Kind.Title, all[i].Kind.About}, i
}
