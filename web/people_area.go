package web

// peopleArea is who brings it in: invitees, invite codes, cohorts and
// sub-affiliates.
type peopleArea struct {
	*base
	Desk Desk // what people write; nil: nothing can be written
}

func newPeopleArea(b *base, desk Desk) *peopleArea { return &peopleArea{b, desk} }
