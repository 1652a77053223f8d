// Package agreements stores the terms that were agreed, with all their earlier versions.
package agreements
