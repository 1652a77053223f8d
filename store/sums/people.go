package sums

import (
	"strings"

	"rebatedesk/affiliate"
)

// person identifies an invitee who has lines.
type person struct {
	account int64
	uid     affiliate.UID
}

// people numbers the invitees of the entries of a query from 0, in the order of their first
// entry.
type people struct {
	list    []person
	numbers map[person]int
}

func newPeople() *people { return &people{numbers: map[person]int{}} }

// of returns the number of the invitee of an entry.
func (p *people) of(e *entry) int {
	who := e.person()
	n, ok := p.numbers[who]
	if !ok {
		n = len(p.list)
		who.uid = affiliate.UID(strings.Clone(string(who.uid))) // a copy, independent of the block's text
		p.numbers[who] = n
		p.list = append(p.list, who)
	}
	return n
}
