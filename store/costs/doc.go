// Package costs stores what was spent on invite codes, tags and segments.
package costs
