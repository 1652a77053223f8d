package web

// summariesArea is what is sent by mail.
type summariesArea struct {
	*base
	NoLinks bool   // it is not known where browsers find the server
	stops   slower // of those who follow the links of mails
	byHand  slower // of those who have mails sent
}

func newSummariesArea(b *base, noLinks bool) *summariesArea {
	return &summariesArea{base: b, NoLinks: noLinks,
		stops: slower{every: stopEvery, atOnce: stopsAtOnce}, byHand: slower{every: byHandEvery, atOnce: byHandAtOnce}}
}
