package phrase

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Fragment is a part of a sentence. Exact, if set, is the exact value of the amount that it
// prints.
type Fragment struct{ Text, Exact string }

// Say builds a sentence from texts, sentences and amounts: strings, fragments and
// [affiliate.Amount]. Amounts are printed rounded,
// with their exact value attached.
func Say(parts ...any) []Fragment {
	var list []Fragment
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			list = append(list, Fragment{Text: part})
		case affiliate.Amount:
			list = append(list, Fragment{part.String(), part.Exact()})
		case Fragment:
			list = append(list, part)
		case []Fragment:
			list = append(list, part...)
		default:
			panic(fmt.Sprintf("phrase: a sentence of %T", part))
		}
	}
	return list
}

// Plain returns a sentence as text.
func Plain(parts []Fragment) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

func money(value decimal.Decimal, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: value, Coin: coin}
}
