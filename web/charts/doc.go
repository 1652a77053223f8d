// Package charts turns reports into ECharts options. It uses go-echarts for
// the form of the options only: their JSON travels to the browser as data, and
// a static script draws it. go-echarts' own renderer is not used, since it
// lets data run as script and loads from a foreign host.
//
// The numbers in an option are floats for drawing. Exact values travel beside
// it as text, for the tooltip, and stand in the table below each chart.
package charts
