// Package picture draws the chart of a summary as PNG, from figures alone.
package picture
