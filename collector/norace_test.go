//go:build !race

package collector_test

const raced = false
