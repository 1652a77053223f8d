// Package exchange is what every exchange has in common.
package exchange
