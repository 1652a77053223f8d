// Package closings stores what was known of a month when a user closed it.
package closings
