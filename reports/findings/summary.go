package findings

// SummaryReady is the event of a summary, told with it.
const SummaryReady = "summary.ready"

var _ = register(Kind{Events: []Event{{Name: SummaryReady, Place: 80, Label: "A summary is made", When: "A summary of any schedule is made."}}})
