package simulator

import "maps"

// Stats holds counts since the start of the simulator.
type Stats struct {
	Requests   map[string]int // by method and path, including refused and failed ones
	Weight     int            // total spent from the address budget
	PeakWeight int            // the most that any address spent in any ten seconds
	Exceeded   int            // 429 because the weight was actually exceeded, or during the ban
	Refusals   map[string]int // business errors by code
	Faults     map[Fault]int  // faults that happened; RateLimited counts the injected 429
}

// All returns the number of requests to all endpoints.
func (s Stats) All() int {
	total := 0
	for _, n := range s.Requests {
		total += n
	}
	return total
}

// Stats returns the counts so far.
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
