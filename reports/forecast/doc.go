// Package forecast makes the report of where a month, or another range, will end.
package forecast
