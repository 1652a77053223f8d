package affiliate

// Total is what an invitee brought in all its life, as read at an instant: figures that only grow.
type Total struct {
	UID    UID
	Joined Millis
	At     Millis // when it was read, by the exchange's clock

	Commission, Fee, Volume Number // in USDT; empty = not said
}

// Instant returns when it was read.
func (t Total) Instant() Millis { return t.At }

// Figures are the figures of the total.
func (t *Total) Figures() [3]*Number { return [...]*Number{&t.Commission, &t.Fee, &t.Volume} }
