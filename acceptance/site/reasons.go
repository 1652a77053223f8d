package site

import (
	"math/big"

	"rebatedesk/affiliate"
)

func Rat(n affiliate.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}
