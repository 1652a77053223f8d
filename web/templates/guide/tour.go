package guide

// TourStop is a stop of the tour through the demonstration.
type TourStop struct {
	Title string
	Short string // in the button that leads here
	Text  string
	Href  string // page with its parameters
	Path  string // of the page
}

// Tour has the stops in their order.
var Tour = []TourStop{
	{Title: "What did I earn, and why?", Short: "earned", Href: "/drivers?range=30d&compare=previous", Path: "/drivers",
		Text: "The first line says how commission changed against the period before. Below it the change is divided into parts that add up to it exactly: volume, fees, share of fees, and people who are new, stopped trading or traded again."},
	{Title: "Were we paid?", Short: "paid", Href: "/payments", Path: "/payments",
		Text: "What was earned stands next to the bills that the exchange paid. Lines that are short, late or missing come with the amount. Open one: it makes a signed file that proves the claim."},
	{Title: "What changed after we saw it?", Short: "changes", Href: "/changes", Path: "/changes",
		Text: "Exchanges correct figures without a word. Here every late, changed or removed record is listed with its amount before and after, so that a report of last week can be explained today."},
	{Title: "Whom should we call?", Short: "calls", Href: "/worklist", Path: "/worklist",
		Text: "People who trade less than they used to, ordered by what is at risk, each with its reason. Mark a line as done, or snooze it: the list remembers what came of it."},
	{Title: "Send the month to finance", Short: "the month", Href: "/months", Path: "/months",
		Text: "A complete month can be closed. Its figures then stay as they were, and its evidence pack is a signed file with the same bytes each time. Later corrections are shown next to it."},
}
