package handler

import "rebatedesk/store"

// HealthFacts describe the database and who works on it. They need no sign-in, so they name
// no host.
type HealthFacts struct {
	Node   string // empty if it is not to be shown
	Engine store.EngineState
	Schema int
	Leases []store.LeaseHolder // their nodes under the names to be shown
}

// Server reports whether a server keeps the database.
func (f HealthFacts) Server() bool { return f.Engine.Engine == store.PostgreSQL }

// Several reports whether several nodes share the database.
func (f HealthFacts) Several() bool {
	names := map[string]bool{}
	for _, lease := range f.Leases {
		names[lease.Node] = true
	}
	return len(f.Engine.Nodes) > 1 || len(names) > 1
}
