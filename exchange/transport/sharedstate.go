package transport

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// sharedState is what all processes know of a budget that they share. Moments are
// milliseconds of the shared clock.
type sharedState struct {
	Banned    int64                     `json:"banned,omitempty"`
	Collected int64                     `json:"collected,omitempty"`
	IP        []sharedWeight            `json:"ip,omitempty"` // weight by address
	Users     map[string][]sharedWeight `json:"users,omitempty"`
	Waiting   []sharedWaiting           `json:"waiting,omitempty"`
}

// sharedWeight is weight that counts until a moment.
type sharedWeight struct {
	Weight int    `json:"weight"`
	Order  bool   `json:"order,omitempty"`
	Until  int64  `json:"until"`
	Call   string `json:"call,omitempty"` // under way
}

// sharedWaiting is the first waiting call of a class and a user in a process.
type sharedWaiting struct {
	Process  string   `json:"process"`
	Priority Priority `json:"class"`
	User     string   `json:"user"`
	IP       int      `json:"ip"`
	UID      int      `json:"uid"`
	Asked    int64    `json:"asked"`
	Until    int64    `json:"until"` // it waits no longer, unless its process says so again
}

func readSharedState(text []byte) (s sharedState, err error) {
	if len(text) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("the state cannot be read: %w", err)
	}
	return s, nil
}

// tally returns the weight that counts. No moment is later than any process can have meant:
// after a change of the server its clock may be another.
func (s sharedState) tally(limit, reserve int, now time.Time) tally {
	t := newTally(limit, reserve)
	t.banned, t.collected = earlier(s.Banned, now.Add(longestBan+grain)), earlier(s.Collected, now)
	t.ip.takeOver(s.IP, now)
	for name, list := range s.Users {
		t.user(name).takeOver(list, now)
	}
	return t
}

func (c *counter) takeOver(list []sharedWeight, now time.Time) {
	for _, w := range list {
		c.insert(spent{w.Weight, w.Order, earlier(w.Until, now.Add(longestCall+c.lasting(w.Weight)+grain)), w.Call})
	}
}

// earlier returns the moment, or the latest one if that is earlier; zero for 0.
func earlier(moment int64, latest time.Time) time.Time {
	if moment == 0 {
		return time.Time{}
	}
	if at := time.UnixMilli(moment); at.Before(latest) {
		return at
	}
	return latest
}

// waiting returns the calls of a class that wait in other processes.
func (s sharedState) waiting(p Priority, process string, now time.Time) (list []*turn) {
	for _, w := range s.Waiting {
		if w.Process != process && w.Priority == p && w.current(now) {
			list = append(list, &turn{process: w.Process, priority: p, user: w.User, weight: Weight{w.IP, w.UID}, asked: time.UnixMilli(w.Asked)})
		}
	}
	return list
}

func (w sharedWaiting) current(now time.Time) bool {
	left := time.UnixMilli(w.Until).Sub(now)
	return left > 0 && left <= waitsFor
}

// after returns the state after a change by a process, and whether it says that calls of the
// process wait.
func (s sharedState) after(t tally, process string, now time.Time) (text []byte, told bool) {
	next := sharedState{Waiting: s.othersWaiting(process, now)}
	if t.banned.After(now) {
		next.Banned = t.banned.UnixMilli()
	}
	if now.Sub(t.collected) < patience {
		next.Collected = t.collected.UnixMilli()
	}
	next.IP, next.Users = t.ip.handOver(now), map[string][]sharedWeight{}
	for name, c := range t.users {
		if list := c.handOver(now); len(list) > 0 {
			next.Users[name] = list
		}
	}
	ours := s.ourWaiting(t, process, now)
	next.Waiting = append(next.Waiting, ours...)
	text, err := json.Marshal(next)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return text, len(ours) > 0
}

func (c *counter) handOver(now time.Time) (list []sharedWeight) {
	c.used(now)
	for _, w := range c.spent {
		list = append(list, sharedWeight{Weight: w.weight, Order: w.order, Until: w.until.UnixMilli(), Call: w.call})
	}
	return list
}

func (s sharedState) othersWaiting(process string, now time.Time) (list []sharedWaiting) {
	for _, w := range s.Waiting {
		if w.Process != process && w.current(now) {
			list = append(list, w)
		}
	}
	return list
}

// ourWaiting returns the first waiting call of each class and user. What the others know
// already is repeated only when it is about to end.
func (s sharedState) ourWaiting(t tally, process string, now time.Time) (list []sharedWaiting) {
	for p, line := range t.waiting {
		var users []string
		for _, c := range line {
			if c.process != "" || slices.Contains(users, c.user) {
				continue
			}
			users = append(users, c.user)
			w := sharedWaiting{Process: process, Priority: Priority(p), User: c.user, IP: c.weight.IP, UID: c.weight.UID, Asked: c.asked.UnixMilli()}
			for _, known := range s.Waiting {
				if w.Until = known.Until; w == known && known.current(now.Add(waitsFor/2)) {
					break
				}
				w.Until = 0
			}
			if w.Until == 0 {
				w.Until = now.Add(waitsFor).UnixMilli()
			}
			list = append(list, w)
		}
	}
	return list
}
