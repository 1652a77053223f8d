package market

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/query"
	"rebatedesk/reports/search"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// marketLife is how long all users share one reading of all pairs: together its calls
// cost 30 of the weight.
const marketLife = 5 * time.Second

// markets caches the last reading of all pairs, by account.
type markets struct {
	mutex sync.Mutex
	read  map[*weex.Client]marketReading
}

// marketReading holds all pairs with their last 24 hours.
type marketReading struct {
	pairs   []weex.TradingPair
	tickers map[string]weex.Ticker
	unread  string // what could not be read, in sentences
	at      time.Time
}

// of reads all pairs, unless a recent reading exists. Concurrent callers wait for the
// same reading.
func (m *markets) of(ctx context.Context, client *weex.Client) (marketReading, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if kept, ok := m.read[client]; ok && time.Since(kept.at) < marketLife {
		return kept, nil
	}
	pairs, err := client.Pairs(ctx, weex.PairQuery{})
	if err != nil {
		return marketReading{}, err
	}
	tickers, err := client.Tickers(ctx)
	if err != nil {
		return marketReading{}, err
	}
	rules := console.Unread(pairs, "pair", func(p weex.TradingPair) string { return affiliate.PairName(p.Symbol) })
	prices := console.Unread(tickers, "ticker", func(t weex.Ticker) string { return affiliate.PairName(t.Symbol) })
	reading := marketReading{
		pairs: pairs.Records, tickers: make(map[string]weex.Ticker, len(tickers.Records)), unread: strings.TrimSpace(rules + " " + prices), at: time.Now(),
	}
	for _, t := range tickers.Records {
		reading.tickers[t.Symbol] = t
	}
	// Clients that are no longer in use are dropped.
	m.read = map[*weex.Client]marketReading{client: reading}
	return reading, nil
}

// marketsSheet is the page of all pairs with their rules and the last 24 hours (4.1,
// 4.3).
func (s *Area) marketsSheet() console.Sheet {
	return console.Sheet{
		Path: frame.MarketsPath, Title: "Markets", Words: "spot pairs prices rules", Noun: "pair", About: "Spot pairs, their rules and the last 24 hours", Refresh: true,
		Answers: "What do the pairs cost now, and which of them move?", Terms: []string{"market", "favourite"},
		Fields: []frame.Field{console.Field("q", "Search", "search"), console.OneOfText(console.Field("marked", "Favourites", ""), []string{"only"})},
		Columns: []frame.SheetColumn{
			console.Column("symbol", "Pair"), console.Figure("last_price", "Last price"), console.Figure("change_percent", "24 h change"), console.Figure("high", "24 h high"), console.Figure("low", "24 h low"),
			console.Figure("size", "Volume (base)"), console.Figure("value", "Volume (quote)"), console.Figure("trades", "Trades"), console.Figure("tick_size", "Tick"), console.Figure("step_size", "Step"),
			console.Figure("min_trade_amount", "Minimum order"), console.Figure("max_trade_amount", "Maximum order"), console.Column("enable_trade", "Trading"), console.Column("ticker_utc", "Ticker of"),
		},
		Own: map[string][]string{"q": nil, "sort": sortChoices(), "marked": {"only"}}, Sorts: marketSorts, Ask: s.marketRows,
	}
}

// marketSorts are the columns by which the pairs can be sorted.
var marketSorts = map[string]int{"symbol": 0, "last_price": 1, "change_percent": 2, "size": 5, "value": 6}

// sortChoices are the values of the parameter that sorts the pairs.
func sortChoices() (by []string) {
	for _, column := range slices.Sorted(maps.Keys(marketSorts)) {
		by = append(by, column, "-"+column)
	}
	return by
}

func (s *Area) marketRows(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
	marked, err := a.Console.Favourites(ctx, a.User)
	if err != nil {
		return p, err
	}
	reading, err := s.markets.of(ctx, a.Client)
	if err != nil {
		return p, err
	}
	for _, pair := range reading.pairs {
		star := slices.Contains(marked, pair.Symbol)
		if !affiliate.PairHolds(pair.Symbol, a.Given.Get("q")) || a.Given.Get("marked") != "" && !star {
			continue
		}
		row := marketRow(a, pair, reading.tickers[pair.Symbol])
		row.Pair, row.Marked = pair.Symbol, star
		p.Rows = append(p.Rows, row)
	}
	p.At, p.Unread = reading.at, reading.unread
	sortRows(p.Rows, a.Given.Get("sort"))
	if len(reading.pairs) > 0 {
		p.Empty = "No pair fits the filters."
	}
	return p, nil
}

// marketRow returns a pair with its ticker; without a ticker, its cells are unknown.
func marketRow(a console.Asking, p weex.TradingPair, t weex.Ticker) frame.SheetRow {
	trades := frame.Cell{}
	if t.Symbol != "" && t.Trades >= 0 {
		trades = frame.NumberCell(affiliate.Number(strconv.Itoa(t.Trades)))
	}
	return frame.SheetRow{Cells: []frame.Cell{
		pairCell(p.Symbol, a.Link(frame.MarketsPath+"/"+url.PathEscape(p.Symbol))),
		frame.NumberCell(t.LastPrice), changeCell(t.PriceChangePercent), frame.NumberCell(t.High), frame.NumberCell(t.Low),
		frame.AmountCell(t.Size), frame.AmountCell(t.Value), trades,
		frame.NumberCell(p.TickSize), frame.NumberCell(p.StepSize), frame.NumberCell(p.MinTradeAmount), frame.NumberCell(p.MaxTradeAmount),
		frame.FlagCell(p.EnableTrade), frame.TimeCell(t.Time, a.Zone),
	}}
}

// pairCell shows a pair by its name, with a link to its page; files have its symbol.
func pairCell(symbol, href string) frame.Cell {
	return frame.Cell{Text: affiliate.PairName(symbol), Raw: symbol, Href: href, Title: symbol, Words: true}
}

// changeCell shows a change, given as a fraction, with the colour of its direction.
func changeCell(n affiliate.Number) frame.Cell {
	cell := frame.FractionCell(n)
	cell.Tone = frame.ToneOf(n)
	return cell
}

// sortRows sorts by a column, "-value" with the largest first. Unknown values come last
// in both directions; by default, marked pairs come first.
func sortRows(rows []frame.SheetRow, by string) {
	name, descending := strings.CutPrefix(by, "-")
	at, ok := marketSorts[name]
	slices.SortStableFunc(rows, func(x, y frame.SheetRow) int {
		if !ok {
			return cmp.Or(-cmpBool(x.Marked, y.Marked), cmp.Compare(x.Pair, y.Pair))
		}
		a, b := x.Cells[at], y.Cells[at]
		if a.Raw == "" || b.Raw == "" {
			return -cmpBool(a.Raw != "", b.Raw != "")
		}
		order := cmp.Compare(a.Raw, b.Raw)
		if !a.Words {
			order = affiliate.Number(a.Raw).Cmp(affiliate.Number(b.Raw))
		}
		if descending {
			order = -order
		}
		return order
	})
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// SetFavourite marks a pair for the reader, or removes the mark.
func (s *Area) SetFavourite(c *fiber.Ctx) error {
	form := s.Form(c)
	pair := form.Get("pair")
	if ok := len(pair) <= 40 && affiliate.IsSpot(pair); !ok {
		return &query.ParamError{Param: "pair", Value: pair, Problem: "is no spot pair"}
	}
	if err := s.Console.SetFavourite(c.UserContext(), s.Reader(c), pair, form.Get("on") == string(affiliate.FlagOf(true))); err != nil {
		return err
	}
	return handler.BackTo(c, frame.MarketsPath)
}

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

// currenciesSheet is the page of the currencies, with a row for each chain (4.2).
var currenciesSheet = console.Sheet{
	Path: "/console/currencies", Title: "Coins", Words: "currencies chains withdraw deposit exchange", Noun: "chain", Section: "4.2", About: "Coins, and the chains they move on",
	Answers: "Which coins can be deposited and withdrawn, on which chains, and at what fee?", Terms: []string{"coin"},
	Columns: []frame.SheetColumn{
		console.Column("coin", "Coin"), console.Column("coin_id", "Coin id"), console.Column("transfer", "Transfer"), console.Column("chain", "Chain"), console.Column("recharge_able", "Deposit"),
		console.Column("withdraw_able", "Withdrawal"), console.Column("need_tag", "Tag"), console.Figure("withdraw_fee", "Withdrawal fee"), console.Figure("min_deposit_amount", "Minimum deposit"),
		console.Figure("min_withdraw_amount", "Minimum withdrawal"), console.Figure("deposit_confirm", "Deposit blocks"), console.Figure("withdraw_confirm", "Withdrawal blocks"),
		console.Column("contract_address", "Contract"), console.Column("browser_url", "Explorer"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		got, err := a.Client.Currencies(ctx)
		p.Unread = console.Unread(got, "coin", func(c weex.Currency) string { return string(c.CoinName) })
		for _, coin := range got.Records {
			for _, chain := range coin.Chains {
				p.Rows = append(p.Rows, chainRow(coin, chain))
			}
			if len(coin.Chains) == 0 {
				p.Rows = append(p.Rows, chainRow(coin, weex.Chain{}))
			}
		}
		return p, err
	},
}

// chainRow is one chain of a coin. Addresses are foreign data and are not links.
func chainRow(c weex.Currency, v weex.Chain) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TextCell(string(c.CoinName)), frame.TextCell(c.CoinID), frame.FlagCell(c.Transfer), frame.TextCell(v.Chain.Value),
		frame.FlagCell(v.RechargeAble), frame.FlagCell(v.WithdrawAble), frame.FlagCell(v.NeedTag), frame.NumberCell(v.WithdrawFee),
		frame.NumberCell(v.MinDepositAmount), frame.NumberCell(v.MinWithdrawAmount), frame.NumberCell(v.DepositConfirm),
		frame.NumberCell(v.WithdrawConfirm), frame.TextCell(v.ContractAddress.Value), frame.TextCell(string(v.BrowserURL)),
	}}
}

// contractsSheet is the page of the contract market's tickers: of one pair (4.5), or of
// all pairs (4.6).
var contractsSheet = console.Sheet{
	Path: "/console/contracts", Title: "Contracts", Words: "futures markets pairs", Noun: "pair", About: "Tickers of the contract market", Refresh: true,
	Answers: "Which contracts are there, and what do they cost now?", Terms: []string{"product", "market"},
	Fields: []frame.Field{{Name: "symbol", Label: "One pair", Kind: "text", SymbolOf: affiliate.ContractSymbolOf}},
	Columns: []frame.SheetColumn{
		console.Column("symbol", "Pair"), console.Figure("last", "Last price"), console.Figure("change_percent", "24 h change"), console.Figure("best_bid", "Best bid"), console.Figure("best_ask", "Best ask"),
		console.Figure("high_24h", "24 h high"), console.Figure("low_24h", "24 h low"), console.Figure("volume_24h", "Volume (quote)"), console.Figure("base_volume", "Volume (base)"),
		console.Figure("mark_price", "Mark price"), console.Figure("index_price", "Index price"), console.Column("ticker_utc", "Ticker of"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		if symbol := a.Values.Get("symbol"); symbol != "" {
			one, err := a.Client.ContractTicker(ctx, symbol)
			p.Rows = []frame.SheetRow{contractRow(a, one)}
			return p, err
		}
		got, err := a.Client.ContractTickers(ctx)
		p.Rows, p.Unread = console.PageRows(a, got, contractRow), console.Unread(got, "contract", func(t weex.ContractTicker) string { return t.Symbol })
		return p, err
	},
}

func contractRow(a console.Asking, t weex.ContractTicker) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		pairCell(t.Symbol, a.Link(frame.PairAddress(t.Symbol))),
		frame.NumberCell(t.Last), changeCell(t.PriceChangePercent), frame.NumberCell(t.BestBid), frame.NumberCell(t.BestAsk),
		frame.NumberCell(t.High24h), frame.NumberCell(t.Low24h), frame.AmountCell(t.Volume24h), frame.AmountCell(t.BaseVolume),
		frame.NumberCell(t.MarkPrice), frame.NumberCell(t.IndexPrice), frame.TimeCell(t.Time, a.Zone),
	}}
}
