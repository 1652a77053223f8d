package store

import "rebatedesk/affiliate"

// person is an invitee, as one who has lines.
type person struct {
	account int64
	uid     affiliate.UID
}

// people numbers those whom the entries of a question are about, from 0, in the
// order of their first entry.
type people struct {
	list    []person
	numbers map[person]int32
	table   *nameTable
	byID    map[int64][]int32 // by account and the number of the name in the table; 1 more than the number, 0 = none yet
}

func newPeople() *people { return &people{numbers: map[person]int32{}} }

// of is the number of the person that an entry is about.
func (p *people) of(e *entry) int {
	if e.block == nil {
		return int(p.number(e.person()))
	}
	if p.table != e.block.table {
		p.table, p.byID = e.block.table, map[int64][]int32{}
	}
	byID := p.byID[e.account]
	if int(e.id) >= len(byID) {
		byID = append(byID, make([]int32, int(e.id)+1+len(p.list)/4-len(byID))...)
		p.byID[e.account] = byID
	}
	if byID[e.id] == 0 {
		byID[e.id] = p.number(e.person()) + 1
	}
	return int(byID[e.id] - 1)
}

func (p *people) number(who person) int32 {
	n, ok := p.numbers[who]
	if !ok {
		n = int32(len(p.list))
		p.numbers[who] = n
		p.list = append(p.list, who)
	}
	return n
}
