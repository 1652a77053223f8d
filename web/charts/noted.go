package charts

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/annotations"
)

// notedSign stands before an annotation in a tooltip.
const notedSign = "▸"

// mostNoted is the maximum number of annotations that the description of a chart names.
const mostNoted = 5

// NotesOn lists the annotations of a series that a day belongs to.
func NotesOn(d figures.DailySeries, day affiliate.Day) []annotations.Annotation {
	return notesWithin(d.Annotations, affiliate.Days{First: day, Last: day})
}

func notesWithin(all []annotations.Annotation, days affiliate.Days) (list []annotations.Annotation) {
	for _, a := range all {
		if a.Days.First <= days.Last && a.Days.Last >= days.First {
			list = append(list, a)
		}
	}
	return list
}

// notes lists the annotations that a column belongs to. They are about days: those of a day in
// hours are at its beginning.
func (p plot) notes(i int) []annotations.Annotation {
	if p.Hours != nil && i > 0 {
		return nil
	}
	return notesWithin(p.Annotations, p.Spans[i])
}

// notedSeries mark the columns in which annotations begin and end: a line, and a dot where it meets the
// axis.
func (p plot) notedSeries() []charts.SingleSeries {
	lines, dots := make([]opts.BarData, len(p.Days)), make([]opts.ScatterData, len(p.Days))
	for i := range lines {
		lines[i].Value, dots[i].Value = noValue, noValue
		if p.Marked(i) {
			lines[i].Value, dots[i].Value = 1, 0
		}
	}
	return []charts.SingleSeries{
		{Id: notedID, Name: "Annotated", Type: types.ChartBar, XAxisIndex: 1, YAxisIndex: 1, BarWidth: "1", BarGap: "-100%", Data: lines},
		{Id: notedDotsID, Name: "Annotated", Type: types.ChartScatter, XAxisIndex: 1, YAxisIndex: 1, Data: dots},
	}
}
