package access

import "slices"

// Scope is the purpose of a token. A token permits what both its scopes and the current
// role of its user permit.
type Scope string

// The scopes of the contract.
const (
	ScopeRead    Scope = "read"
	ScopeExport  Scope = "export"
	ScopeConsole Scope = "console"
	ScopeTrade   Scope = "trade"
)

// Scopes of tokens that are part of an address, since calendars and feed readers send no others. Each
// opens one address, and no token of them opens anything else.
const (
	ScopeCalendar Scope = "calendar"
	ScopeFeed     Scope = "feed"
)

// InAddress reports whether a token of the scope is part of an address.
func (s Scope) InAddress() bool { return s == ScopeCalendar || s == ScopeFeed }

// Scopes lists the scopes from the least to the most powerful.
var Scopes = []Scope{ScopeCalendar, ScopeFeed, ScopeRead, ScopeExport, ScopeConsole, ScopeTrade}

var scoped = map[Scope][]Permission{
	ScopeRead:    {MayRead},
	ScopeExport:  {MayRead, MayExport, MayReadBills},
	ScopeConsole: {MayConsole},
	ScopeTrade:   {MayConsole, MayTrade},
}

// May reports whether the scope covers an action. An unknown scope covers nothing.
func (s Scope) May(p Permission) bool { return slices.Contains(scoped[s], p) }

// Useful reports whether a token of the scope could do everything it covers for a user of
// the role.
func (s Scope) Useful(to Role) bool {
	return !slices.ContainsFunc(scoped[s], func(p Permission) bool { return !to.May(p) })
}

// ParseScopes parses scopes, and returns each once in the order of [Scopes]. An empty list
// is refused.
func ParseScopes(names []string) ([]Scope, error) {
	for _, name := range names {
		if !slices.Contains(Scopes, Scope(name)) {
			return nil, refuse("There is no scope %q: choose among %s.", name, choice(Scopes))
		}
	}
	for _, name := range names {
		if Scope(name).InAddress() && len(names) > 1 {
			return nil, refuse("A token with the scope %s can have no other: it is part of an address, which is easily passed on.", name)
		}
	}
	if len(names) == 0 {
		return nil, refuse("A token needs a scope: choose %s.", choice(Scopes))
	}
	return slices.DeleteFunc(slices.Clone(Scopes), func(s Scope) bool {
		return !slices.Contains(names, string(s))
	}), nil
}
