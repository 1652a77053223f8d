// Package overview makes the front page, and explains a figure by its factors.
package overview
