package mail

import (
	"strconv"
	"strings"
)

// FigureTable is a small table. Its first column is words, the others are figures.
type FigureTable struct {
	Title string
	Head  []string
	Rows  [][]string
	Bars  []int // share of each row in percent, drawn under its name; none: no bars
	Spare int   // column that narrow screens do without; 0: none
	SoFar bool  // the figures are those so far: a change of them is neither good nor bad
}

// width is that of a column: the same in all tables of four, so that the columns
// stand below each other. Others are as wide as their figures.
func (t FigureTable) width(column int) string {
	if len(t.Head) != 4 {
		return ""
	}
	return strconv.Itoa([]int{34, 26, 18, 22}[column]) + "%"
}

// tone is that of a cell that is a change.
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

// colour is the style of that tone, light.
func (t FigureTable) colour(cell string) string {
	return map[string]string{"up": "color:#12703a;", "down": "color:#b42323;"}[t.tone(cell)]
}
