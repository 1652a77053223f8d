package simulator

import "maps"

// Stats are counts since the start of the simulator.
type Stats struct {
	Requests   map[string]int // by method and path, refused and failed ones included
	Weight     int            // spent in all, of the address budget
	PeakWeight int            // the most that any address spent in any ten seconds
	Exceeded   int            // 429 because the weight was really exceeded, or during the ban
	Refusals   map[string]int // business errors by code
	Faults     map[Fault]int  // faults that happened; RateLimited counts the injected 429
}

// All is the number of requests of all endpoints.
func (s Stats) All() int {
	total := 0
	for _, n := range s.Requests {
		total += n
	}
	return total
}

// Stats counts what has happened so far.
func (s *Simulator) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	copied := s.stats
	copied.Requests = maps.Clone(s.stats.Requests)
	copied.Refusals = maps.Clone(s.stats.Refusals)
	copied.Faults = maps.Clone(s.stats.Faults)
	copied.PeakWeight = s.limiter.peak
	return copied
}
