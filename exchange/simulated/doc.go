// Package simulated has what the simulators of several exchanges share: an affiliate programme that
// is the same for the same seed, what the exchange lists of it at which time, and the faults of a
// network and of a server. How an exchange names and groups records stands in its own simulator.
package simulated
