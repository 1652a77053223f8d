// Package goals stores what managers want months to bring.
package goals
