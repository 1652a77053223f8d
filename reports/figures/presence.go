package figures

// Presence says in which of two compared periods an invitee or a code had commission, of any coin
// and within the filters of the query.
type Presence string

// Presences. Each entry has exactly one.
const (
	PresentInBoth   Presence = "both"
	PresentNew      Presence = "new"         // the first commission is in the range
	PresentBack     Presence = "reactivated" // none in the compared period, and some before it
	PresentSince    Presence = "between"     // none in the compared period; the first commission lies between the two periods, which do not adjoin
	PresentNoLonger Presence = "lost"        // some in the compared period, none in the range
)

// Presences lists them in the order they are shown.
func Presences() []Presence {
	return []Presence{PresentNew, PresentSince, PresentBack, PresentNoLonger, PresentInBoth}
}
