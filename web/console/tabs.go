package console

import (
	"slices"
	"strings"

	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

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
