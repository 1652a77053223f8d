package market

import (
	"cmp"
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/search"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// MarketsLike returns links to the pages of the pairs whose name is close to a text, the closest
// first: favourites of a user, pairs that earned commission, and those that the exchange listed when
// it was last asked. A pair that earned commission and is no longer listed has no such page. It asks
// the exchange nothing.
func (s *Area) MarketsLike(ctx context.Context, user, text string, earned []string) (links []ui.FoundLink, err error) {
	marked, err := s.Console.Favourites(ctx, user)
	if err != nil {
		return nil, err
	}
	var listed []string
	if accounts := s.Console.Names(); len(accounts) > 0 {
		for _, pair := range s.Market.Pairs(accounts[0]).Value {
			listed = append(listed, pair.Symbol)
		}
	}
	if len(listed) > 0 {
		earned = slices.DeleteFunc(slices.Clone(earned), func(symbol string) bool {
			return affiliate.IsSpot(symbol) && !slices.Contains(listed, symbol)
		})
	}
	symbols := slices.Concat(marked, earned, listed)
	type hit struct {
		symbol    string
		closeness search.Closeness
	}
	var hits []hit
	seen := map[string]bool{}
	for _, symbol := range symbols {
		if seen[symbol] || !affiliate.IsSpot(symbol) && !affiliate.IsContract(symbol) {
			continue
		}
		seen[symbol] = true
		if closeness := search.LikenessOfPair(text, symbol); closeness != search.NoMatch {
			hits = append(hits, hit{symbol, closeness})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.closeness, a.closeness) })
	for _, h := range hits[:min(len(hits), search.MostFound)] {
		hint := "market"
		if slices.Contains(marked, h.symbol) {
			hint = "market, favourite"
		}
		links = append(links, ui.FoundLink{Href: frame.PairAddress(h.symbol), Label: affiliate.MarketPair(h.symbol), Hint: hint, Icon: "console"})
	}
	return links, nil
}
