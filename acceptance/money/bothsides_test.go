package money_test

import (
	"encoding/csv"
	"html"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
)

// twoSides is what the lines of a file of payments lack, and what was paid too much for others.
type twoSides struct {
	missing, excess map[string]*big.Rat
	open            int
}

// sidesOf adds up a file of payments by itself: what is missing is earned less paid of lines that are
// missing or short, what is too much is paid less earned of those that were paid twice, too much or
// for no period.
func sidesOf(t *testing.T, v *site.Visitor, query string) twoSides {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(v.Get("/payments.csv?" + query).Body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := twoSides{missing: map[string]*big.Rat{}, excess: map[string]*big.Rat{}}
	for _, row := range rows[1:] {
		cell := func(name string) string { return row[slices.Index(rows[0], name)] }
		difference := exactly(t, cell("difference"))
		side := s.excess
		switch cell("state") {
		case "missing", "short":
			side = s.missing
			difference.Neg(difference)
			s.open++
		case "over", "twice", "unexplained":
		default:
			continue
		}
		if side[cell("coin")] == nil {
			side[cell("coin")] = new(big.Rat)
		}
		side[cell("coin")].Add(side[cell("coin")], difference)
	}
	return s
}

// printed is an amount as pages print it.
func printed(sum *big.Rat, coin string) string {
	return affiliate.Amount{Value: decimal.RequireFromString(sum.FloatString(18)), Coin: affiliate.Coin(coin)}.String()
}

// Wherever is said what is missing, it is said what was paid too much: of the lines that the page
// lists, with what is so of all time apart; on the overview, in the mail, in findings.
func TestNotPaidIsSaidWithPaidTooMuch(t *testing.T) {
	t.Parallel()
	p := site.OpenPaidBy(t, "day+8h")
	v := p.As("mia", access.Manager)
	ever := sidesOf(t, v, "range=all")
	if len(ever.missing) == 0 || len(ever.excess) == 0 {
		t.Fatalf("the programme has no lines of one side: %+v", ever)
	}
	for _, query := range []string{"range=last-month", "range=30d", "range=all", "range=all&state=missing", "range=all&state=twice", "range=last-month&coin=USDT", "range=yesterday"} {
		here := sidesOf(t, v, query)
		answer := site.Said(v.Get("/payments?"+query).Body, "answer")
		own, allTime, _ := strings.Cut(answer, "Of all time, ")
		if (allTime == "") != (query == "range=all") {
			t.Errorf("%s: it says of all time %q", query, allTime)
		}
		for coin, sum := range here.missing {
			if sum.Sign() > 0 && !strings.Contains(own, printed(sum, coin)) {
				t.Errorf("%s: %s is missing, and the page says %q", query, printed(sum, coin), own)
			}
		}
		if (here.open > 0) != strings.Contains(own, "Not paid") {
			t.Errorf("%s: %d lines are open, and the page says %q", query, here.open, own)
		}
		for coin, sum := range here.excess {
			if sum.Sign() > 0 && !strings.Contains(own, printed(sum, coin)) {
				t.Errorf("%s: %s was paid too much, and the page says %q", query, printed(sum, coin), own)
			}
		}
		if allTime == "" {
			continue
		}
		for coin := range ever.missing {
			if strings.Contains(query, "coin=") && !strings.Contains(query, coin) {
				continue
			}
			if !strings.Contains(allTime, printed(ever.missing[coin], coin)) || ever.excess[coin] != nil && !strings.Contains(allTime, printed(new(big.Rat).Abs(ever.excess[coin]), coin)) {
				t.Errorf("%s: of all time %s is missing and %v too much, and the page says %q", query, printed(ever.missing[coin], coin), ever.excess[coin], allTime)
			}
		}
	}

	overview := html.UnescapeString(v.Get("/?range=last-month&coin=USDT").Body)
	_, card, _ := strings.Cut(overview, `id="payments-card"`)
	card, _, _ = strings.Cut(card, "</section>")
	card = strings.Join(strings.Fields(site.Tags.ReplaceAllString(card, " ")), " ")
	month := sidesOf(t, v, "range=last-month&coin=USDT")
	for words, sum := range map[string]*big.Rat{"Not paid ": month.missing["USDT"], "· too much ": month.excess["USDT"], "All time: not paid ": ever.missing["USDT"], ", too much ": ever.excess["USDT"]} {
		if sum == nil || !strings.Contains(card, words+strings.ReplaceAll(printed(sum, "USDT"), "\u00a0", " ")) {
			t.Errorf("the card of payments lacks %q with %v: %q", words, sum, card)
		}
	}
}

// A finding about one payment opens its line, and one about several opens a list whose headline has
// the amount of the finding.
func TestFindingsOpenTheirLines(t *testing.T) {
	t.Parallel()
	p := site.OpenPaidBy(t, "day+8h")
	v := p.As("mia", access.Manager)
	page := v.Get("/attention").Body
	links := regexp.MustCompile(`(?s)<a [^>]*href="(/payments[^"]*)"[^>]*>[^<]*See the payment(s?)`).FindAllStringSubmatch(page, -1)
	if len(links) < 2 {
		t.Fatalf("%d findings lead to payments", len(links))
	}
	kinds := map[string]int{}
	for _, link := range links {
		address := html.UnescapeString(link[1])
		answer := site.Said(v.Get(address).Body, "answer")
		kinds[link[2]]++
		if one := link[2] == ""; one != strings.HasPrefix(address, "/payments/line?") {
			t.Errorf("See the payment%s leads to %s", link[2], address)
		} else if own, _, _ := strings.Cut(answer, "Of all time"); !one && strings.Contains(address, "state=missing") {
			_, query, _ := strings.Cut(address, "?")
			for coin, sum := range sidesOf(t, v, query).missing {
				if amount := printed(sum, coin); !strings.Contains(own, amount) || !strings.Contains(html.UnescapeString(page), strings.TrimSuffix(amount, "\u00a0"+coin)) {
					t.Errorf("%s: the finding is about %s, and the page says %q", address, amount, own)
				}
			}
		}
	}
	text := strings.Join(strings.Fields(html.UnescapeString(site.Tags.ReplaceAllString(page, " "))), " ")
	if n := strings.Count(text, "earned and not paid"); n == 0 || strings.Count(text, "was paid twice, too much or for no period") < n {
		t.Errorf("findings say what is missing and not what was paid too much: %q", text)
	}
}
