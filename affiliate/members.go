package affiliate

import (
	"cmp"
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"
)

// Members is a set of invitees to which a query is limited: all of some accounts, and single
// ones of others. Two sets are equal (==) if and only if they have the same content, so a set
// can be part of a key. The zero value is no limit; it differs from a set without members.
type Members struct{ set *memberSet }

// memberSet is the content of a set. Each content exists once, and nobody changes it.
type memberSet struct {
	accounts []Account                // of which all invitees belong to the set, in order
	invitees map[Account]map[UID]bool // of other accounts
	pairs    string                   // the invitees as JSON: a list of [account, UID], in order
}

// MembersOf returns a set with all invitees of some accounts, including those who register
// later, and with single invitees, as lists of UIDs by account.
func MembersOf(accounts []Account, invitees map[Account][]UID) Members {
	set := &memberSet{accounts: slices.Compact(slices.Sorted(slices.Values(accounts))), invitees: map[Account]map[UID]bool{}}
	var pairs [][2]string
	for _, account := range slices.Sorted(maps.Keys(invitees)) {
		if slices.Contains(set.accounts, account) || len(invitees[account]) == 0 {
			continue
		}
		own := make(map[UID]bool, len(invitees[account]))
		for _, uid := range slices.Sorted(slices.Values(invitees[account])) {
			if !own[uid] {
				own[uid] = true
				pairs = append(pairs, [2]string{string(account), string(uid)})
			}
		}
		set.invitees[account] = own
	}
	set.pairs = "[]"
	if len(pairs) > 0 {
		text, err := json.Marshal(pairs)
		if err != nil {
			panic(err) // a list of texts always has a JSON form
		}
		set.pairs = string(text)
	}
	return Members{sole(set)}
}

// memberKey identifies a content.
type memberKey struct{ accounts, pairs string }

var (
	memberMutex sync.Mutex
	memberSets  = map[memberKey]weak.Pointer[memberSet]{}
)

// sole returns the one set in use with the content of a new one.
func sole(set *memberSet) *memberSet {
	names, err := json.Marshal(set.accounts)
	if err != nil {
		panic(err) // a list of texts always has a JSON form
	}
	key := memberKey{string(names), set.pairs}
	memberMutex.Lock()
	defer memberMutex.Unlock()
	if used := memberSets[key].Value(); used != nil {
		return used
	}
	memberSets[key] = weak.Make(set)
	runtime.AddCleanup(set, forgetMembers, key)
	return set
}

// forgetMembers forgets a content that is no longer in use.
func forgetMembers(key memberKey) {
	memberMutex.Lock()
	defer memberMutex.Unlock()
	if memberSets[key].Value() == nil {
		delete(memberSets, key)
	}
}

// Limited reports whether there is a limit at all.
func (m Members) Limited() bool { return m.set != nil }

// Single reports whether the set has single invitees, so that it does not consist of whole
// accounts. A set without members is not single.
func (m Members) Single() bool { return m.set != nil && len(m.set.invitees) > 0 }

// Has reports whether an invitee belongs to the set. Without a limit, everybody does.
func (m Members) Has(account Account, uid UID) bool {
	return m.set == nil || m.set.invitees[account][uid] || m.Whole(account)
}

// Count counts the single invitees.
func (m Members) Count() (n int) {
	if m.set == nil {
		return 0
	}
	for _, own := range m.set.invitees {
		n += len(own)
	}
	return n
}

// Weight estimates how many bytes the set takes.
func (m Members) Weight() uint64 {
	if m.set == nil {
		return 0
	}
	return uint64(len(m.set.pairs) + m.Count()*membersEach)
}

// membersEach is about what a UID takes in the table of a set, in bytes.
const membersEach = 48

// Whole reports whether all invitees of an account belong to the set.
func (m Members) Whole(account Account) bool {
	if m.set == nil {
		return true
	}
	_, found := slices.BinarySearch(m.set.accounts, account)
	return found
}

// WholeAccounts lists the accounts of which all invitees belong to the set. Without a limit it
// is empty.
func (m Members) WholeAccounts() []Account {
	if m.set == nil {
		return nil
	}
	return slices.Clone(m.set.accounts)
}

// Of returns the single invitees of an account; nobody may change the result. It is nil for an
// account of which all or none belong to the set.
func (m Members) Of(account Account) map[UID]bool {
	if m.set == nil {
		return nil
	}
	return m.set.invitees[account]
}

// Touches reports whether any invitee of an account can belong to the set.
func (m Members) Touches(account Account) bool {
	return m.set == nil || m.set.invitees[account] != nil || m.Whole(account)
}

// Pairs returns the single invitees as JSON: a list of lists of account and UID.
func (m Members) Pairs() string {
	if m.set == nil {
		return "[]"
	}
	return m.set.pairs
}

// And returns those who belong to both sets.
func (m Members) And(o Members) Members {
	switch {
	case m.set == nil || m == o:
		return o
	case o.set == nil:
		return m
	}
	var accounts []Account
	for _, account := range m.set.accounts {
		if o.Whole(account) {
			accounts = append(accounts, account)
		}
	}
	invitees := map[Account][]UID{}
	for account, own := range m.set.invitees {
		for uid := range own {
			if o.Has(account, uid) {
				invitees[account] = append(invitees[account], uid)
			}
		}
	}
	for account, own := range o.set.invitees {
		if m.Whole(account) {
			invitees[account] = slices.Collect(maps.Keys(own))
		}
	}
	return MembersOf(accounts, invitees)
}

// String describes the set for messages of tests.
func (m Members) String() string {
	if m.set == nil {
		return "everybody"
	}
	names := make([]string, len(m.set.accounts))
	for i, account := range m.set.accounts {
		names[i] = string(account)
	}
	return cmp.Or(strings.Join(names, ","), "no account") + " and " + m.set.pairs
}
