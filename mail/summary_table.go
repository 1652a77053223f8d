package mail

import (
	"strconv"
	"strings"
)

// FigureTable is a small table. Its first column holds words, the others figures.
type FigureTable struct {
	Title string
	Head  []string
	Rows  [][]string
	Bars  []int // share of each row in percent, drawn under its name; empty: no bars
	Spare int   // column that narrow screens omit; 0: none
	SoFar bool  // the figures are provisional: a change of them is neither good nor bad
}

// width returns the width of a column: the same in all tables of four columns, so that
// they are aligned. Other columns are as wide as their figures.
func (t FigureTable) width(column int) string {
	if len(t.Head) != 4 {
		return ""
	}
	return strconv.Itoa([]int{34, 26, 18, 22}[column]) + "%"
}

// tone returns the tone of a cell that holds a change.
func (t FigureTable) tone(cell string) string {
	switch {
	case t.SoFar:
		return ""
	case strings.HasPrefix(cell, "▲"):
		return "up"
	case strings.HasPrefix(cell, "▼"):
		return "down"
	}
	return ""
}

// colour returns the style of that tone in light mode.
func (t FigureTable) colour(cell string) string {
	return map[string]string{"up": "color:#12703a;", "down": "color:#b42323;"}[t.tone(cell)]
}
