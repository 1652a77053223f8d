package mail

import (
	"strconv"
	"strings"
)

// Table is a small table. Its first column is words, the others are figures.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
	Bars  []int // share of each row in percent, drawn under its name; none: no bars
	Spare int   // column that narrow screens do without; 0: none
}

// width is that of a column: the same in all tables of four, so that the columns
// stand below each other. Others are as wide as their figures.
func (t Table) width(column int) string {
	if len(t.Head) != 4 {
		return ""
	}
	return strconv.Itoa([]int{34, 26, 18, 22}[column]) + "%"
}

// toneOf is the tone of a cell that is a change.
func toneOf(cell string) string {
	switch {
	case strings.HasPrefix(cell, "▲"):
		return "up"
	case strings.HasPrefix(cell, "▼"):
		return "down"
	}
	return ""
}

// colourOf is the style of that tone, light.
func colourOf(cell string) string {
	return map[string]string{"up": "color:#12703a;", "down": "color:#b42323;"}[toneOf(cell)]
}
