// Package charts turns reports into ECharts options. It uses go-echarts only to build
// the options: their JSON is sent to the browser as data, and a static script draws it.
// The renderer of go-echarts is not used, because it lets data run as script and loads
// from a foreign host.
//
// The numbers in an option are floats for drawing. Exact values are sent with it as
// text for the tooltip and appear in the table below each chart.
package charts
