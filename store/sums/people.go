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
	// next is the invitee that followed one when it was last seen. Blocks are in the order of
	// names, so most often it follows again, and comparing it is faster than looking it up.
	next []int
	last int // the number of the previous entry
}

func newPeople() *people { return &people{numbers: map[person]int{}} }

// of returns the number of the invitee of an entry.
func (p *people) of(e *entry) int {
	who := e.person()
	if len(p.list) > 0 {
		if guess := p.next[p.last]; p.list[guess] == who {
			p.last = guess
			return guess
		}
	}
	n, ok := p.numbers[who]
	if !ok {
		n = len(p.list)
		who.uid = affiliate.UID(strings.Clone(string(who.uid))) // a copy, independent of the block's text
		p.numbers[who] = n
		p.list, p.next = append(p.list, who), append(p.next, n)
	}
	p.next[p.last], p.last = n, n
	return n
}
