// Package totals draws what pages of tables have above their rows: totals in a line, and next to
// them the chart; and the small charts in the lines of tables.
package totals
