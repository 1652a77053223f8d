// Package prices has the page on which prices are imported for days without a collected one.
package prices

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/pricing"
	stored "rebatedesk/store/prices"
	"rebatedesk/tabular"
	"rebatedesk/web/templates/ui"
)

// Path is the page of imports of prices.
const Path = "/prices/import"

// mostShown is how many faults or prices a preview lists.
const mostShown = 100

// View is the page of imports.
type View struct {
	pricing.Report
	Token   string
	Done    string
	Imports []stored.Imported // newest first
	Files   bool              // the reader may have files
}

// mostNamed is how many coins the summary names.
const mostNamed = 3

func (v View) summary() string {
	var named []string
	lacking, coins, one := 0, 0, ""
	for _, c := range v.Coins {
		if len(c.Other) == 0 {
			continue
		}
		one = string(c.Coin)
		if lacking, coins = lacking+len(c.Other), coins+1; coins <= mostNamed {
			named = append(named, phrase.Things(len(c.Other), "day")+" of "+string(c.Coin))
		}
	}
	if coins > mostNamed {
		named = append(named, phrase.Things(coins-mostNamed, "further coin"))
	}
	switch {
	case len(v.Coins) == 0:
		return "Nothing was earned yet in a coin that has to be converted into USDT."
	case lacking == 0:
		return "Each day with commission has a price of its own: figures in USDT are at the prices of their days."
	case lacking == 1:
		return "One day with commission in " + one + " has no price of its own: it is valued at the nearest price that is known."
	}
	return phrase.Things(lacking, "price") + " of days with commission are lacking, which are valued at the nearest price that is known: " + phrase.Listed(named) + "."
}

// PreviewView is what a price file would change, or what is wrong with it.
type PreviewView struct {
	Name    string
	Token   string // of forms
	Draft   string // of the kept file
	Problem string
	Faults  tabular.Mistakes
	Words   []string // what the import changes in short
	Changes stored.Comparison
}

type priceLine struct {
	stored.Price
	before affiliate.Number
	words  string
}

func (v PreviewView) lines() (lines []priceLine) {
	for _, r := range v.Changes.Replaced {
		lines = append(lines, priceLine{r.Price, r.Before, "replaces the price of an earlier import"})
	}
	for _, p := range v.Changes.Added {
		lines = append(lines, priceLine{p, "", "new"})
	}
	for _, p := range v.Changes.Collected {
		lines = append(lines, priceLine{p, "", "left out: a price was collected on this day"})
	}
	return lines
}

func shortened[T any](list []T) []T { return list[:min(mostShown, len(list))] }

func idText(id int64) string { return strconv.FormatInt(id, 10) }

func undoneWords(one stored.Imported, v View) string {
	words := "Undone " + phrase.Clock(one.Undone.Time(), v.Zone) + " by " + one.UndoBy
	if one.Kept > 0 {
		words += fmt.Sprintf("; %s replaced since stayed", phrase.Things(one.Kept, "price"))
	}
	return words
}

// around names the days without a price.
func around(c pricing.Coin) string {
	if len(c.Other) == 0 {
		return ""
	}
	return phrase.Days(affiliate.Days{First: c.Other[0], Last: c.Other[len(c.Other)-1]})
}

func coinColumns() []ui.Column[pricing.Coin] {
	return []ui.Column[pricing.Coin]{
		ui.ForeignColumn("Coin", func(c pricing.Coin) string { return string(c.Coin) }, ui.Names("font-medium")),
		ui.TextColumn("Days with commission", func(c pricing.Coin) string { return phrase.Count(c.Days) }, ui.Nums),
		ui.TextColumn("Price collected", func(c pricing.Coin) string { return phrase.Count(c.Collected) }, ui.Nums),
		ui.TextColumn("Price imported", func(c pricing.Coin) string { return phrase.Count(c.Imported) }, ui.Nums),
		ui.TextColumn("No price of its own", func(c pricing.Coin) string { return phrase.Count(len(c.Other)) }, ui.Nums),
		ui.TextColumn("From, to", around),
	}
}

func importColumns(v View) []ui.Column[stored.Imported] {
	return []ui.Column[stored.Imported]{
		ui.TextColumn("Number", func(one stored.Imported) string { return idText(one.ID) }, ui.Nums),
		ui.TextColumn("When", func(one stored.Imported) string { return phrase.Clock(one.At.Time(), v.Zone) }, ui.Classed("whitespace-nowrap")),
		ui.ForeignColumn("By", func(one stored.Imported) string { return one.Actor }),
		ui.ForeignColumn("File", func(one stored.Imported) string { return one.File }, ui.Classed("wrap-anywhere")),
		ui.TextColumn("New", func(one stored.Imported) string { return phrase.Count(one.Added) }, ui.Nums),
		ui.TextColumn("Replaced", func(one stored.Imported) string { return phrase.Count(one.Replaced) }, ui.Nums),
		ui.TextColumn("Unchanged", func(one stored.Imported) string { return phrase.Count(one.Unchanged) }, ui.Nums),
		ui.CellColumn("State", func(one stored.Imported) templ.Component { return importState(one, v) }),
	}
}

func faultColumns() []ui.Column[tabular.Mistake] {
	return []ui.Column[tabular.Mistake]{
		ui.CellColumn("Line", func(f tabular.Mistake) templ.Component {
			if f.Line > 0 {
				return ui.Text(ui.Itoa(f.Line))
			}
			return nil
		}, ui.Nums),
		ui.CellColumn("Column", func(f tabular.Mistake) templ.Component { return faultColumn(f) }),
		ui.ForeignColumn("What is wrong", func(f tabular.Mistake) string { return f.Text }, ui.Classed("min-w-64 whitespace-normal wrap-anywhere")),
	}
}

func priceColumns(v PreviewView) []ui.Column[priceLine] {
	return []ui.Column[priceLine]{
		ui.TextColumn("Day", func(l priceLine) string { return l.Day.Format("2 Jan 2006") }, ui.Classed("whitespace-nowrap")),
		ui.ForeignColumn("Coin", func(l priceLine) string { return string(l.Coin) }),
		ui.TextColumn("Price, USDT", func(l priceLine) string { return affiliate.Grouped(string(l.Price.Price)) }, ui.Nums),
		ui.TextColumn("Before", func(l priceLine) string { return affiliate.Grouped(string(l.before)) }, ui.Nums, ui.If(len(v.Changes.Replaced) > 0)),
		ui.TextColumn("What happens", func(l priceLine) string { return l.words }),
	}
}
