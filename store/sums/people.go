package sums

import (
	"strings"

	"rebatedesk/affiliate"
)

// person is an invitee, as one who has lines.
type person struct {
	account int64
	uid     affiliate.UID
}

// people numbers those whom the entries of a question are about, from 0, in the
// order of their first entry.
type people struct {
	list    []person
	numbers map[person]int
}

func newPeople() *people { return &people{numbers: map[person]int{}} }

// of is the number of the person that an entry is about.
func (p *people) of(e *entry) int {
	who := e.person()
	n, ok := p.numbers[who]
	if !ok {
		n = len(p.list)
		who.uid = affiliate.UID(strings.Clone(string(who.uid))) // not the text of the block
		p.numbers[who] = n
		p.list = append(p.list, who)
	}
	return n
}
