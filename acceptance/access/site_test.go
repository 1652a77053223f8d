package access_test

import (
	"net/netip"
)

const (
	otherWord = "four quiet rivers under ice"
)

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}
