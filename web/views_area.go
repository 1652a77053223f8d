package web

// viewsArea is the saved views.
type viewsArea struct {
	*base
	Desk Desk // nil: there are none
}

func newViewsArea(b *base, desk Desk) *viewsArea { return &viewsArea{b, desk} }
