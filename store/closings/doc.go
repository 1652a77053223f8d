// Package closings stores what was known of a month when somebody closed it.
package closings
