package access

import "slices"

// Scope is what a token is for. A token allows what its scopes and the present
// role of its user both allow.
type Scope string

// The scopes of the contract.
const (
	ScopeRead    Scope = "read"
	ScopeExport  Scope = "export"
	ScopeConsole Scope = "console"
	ScopeTrade   Scope = "trade"
)

// Scopes lists the scopes, the least first.
var Scopes = []Scope{ScopeRead, ScopeExport, ScopeConsole, ScopeTrade}

var scoped = map[Scope][]Permission{
	ScopeRead:    {MayRead},
	ScopeExport:  {MayRead, MayExport},
	ScopeConsole: {MayConsole},
	ScopeTrade:   {MayConsole, MayTrade},
}

// May reports whether the scope covers something. An unknown scope covers
// nothing.
func (s Scope) May(p Permission) bool { return slices.Contains(scoped[s], p) }

// Useful reports whether a token of the scope could do all of it for a user of
// the role.
func (s Scope) Useful(to Role) bool {
	return !slices.ContainsFunc(scoped[s], func(p Permission) bool { return !to.May(p) })
}

// ParseScopes reads scopes, each once and in the order of [Scopes]. None at all
// is refused.
func ParseScopes(names []string) ([]Scope, error) {
	for _, name := range names {
		if !slices.Contains(Scopes, Scope(name)) {
			return nil, refuse("There is no scope %q: choose among %s.", name, choice(Scopes))
		}
	}
	if len(names) == 0 {
		return nil, refuse("A token needs a scope: choose %s.", choice(Scopes))
	}
	return slices.DeleteFunc(slices.Clone(Scopes), func(s Scope) bool {
		return !slices.Contains(names, string(s))
	}), nil
}
