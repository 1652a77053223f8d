package weex

import (
	"rebatedesk/exchange"

	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// seeds lists bodies of every shape, valid and invalid.
func seeds(f *testing.F) {
	list := []string{
		`{"code":"200","data":{"total":0,"pages":1,"list":null}}`, `{"pages":0,"pageSize":100,"total":0}`, `{"code":0,"total":0,"data":null}`,
		goodPage, `{"code":"200","total":7,"list":[],"timestamp":"1756103438804"}`, `{"records":[],"total":1,"size":50,"current":1,"pages":1}`,
		`{"code":"40020","msg":"Parameter symbol is invalid","requestTime":1756103438804,"data":null}`, `<html>`, `[]`, `null`, ``, `{`,
		`{"list":[` + goodRow + `,` + goodRow + `]}`, `{"list":[{"uid":1e3}]}`, `{"list":[{"uid":"\ud800"}]}`,
		`{"list":[{"uid":"a","date":1755687731913,"coin":"B","fee":1E-7,"commission":"-0.0"}]}`,
		`{"channelUserInfoItemList":[{"uid":"5","kycResult":"true","registerTime":1755687731913,"inviteCode":"a\u0000","lastTrade":""}]}`,
		`{"data":{"records":[` + calls[2].Row + `]}}`, strings.Repeat(`{"a":[`, 50), goodPage[:300],
	}
	for _, s := range list {
		f.Add([]byte(s))
	}
}

// check checks every page that was accepted.
func check[T any](t *testing.T, body []byte, p *wire.PageReader[T], each func(T)) {
	a, fault, err := wire.ReadEnvelope(body, success, p)
	if err != nil || fault != nil {
		return
	}
	counted := p.Page.Total >= 0 && p.Page.Total <= (max(p.Number, 1)-1)*wire.FullPage || p.Page.Pages >= 0 && p.Page.Pages < max(p.Number, 1)
	if p.Lists > 1 || p.Lists == 0 && (len(p.Page.Records) > 0 || !counted) {
		t.Errorf("accepted without a list: %q", body)
	}
	if p.Page.Total < -1 || p.Page.Pages < -1 || p.Page.PageSize < -1 {
		t.Errorf("counts %+v", p.Page)
	}
	checkText(t, a.Code)
	for _, record := range p.Page.Records {
		each(record)
	}
}

func checkText(t *testing.T, texts ...string) {
	for _, s := range texts {
		// A replaced byte takes three bytes.
		if len(s) > 3*wire.MaxText || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("text %q", s)
		}
	}
}

func checkNumber(t *testing.T, required bool, numbers ...affiliate.Number) {
	for _, n := range numbers {
		if !n.Known() {
			if required {
				t.Error("a required number is unknown")
			}
			continue
		}
		if again, err := affiliate.ParseNumber(string(n)); err != nil || again != n {
			t.Errorf("number %q: %v", n, err)
		}
	}
}

func checkTime(t *testing.T, required bool, times ...affiliate.Millis) {
	for _, m := range times {
		if m.Known() != (m >= wire.FirstInstant && m < wire.LastInstant) || required && !m.Known() {
			t.Errorf("time %d", m)
		}
	}
}

func FuzzDecodeCommissions(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		p := wire.NewPageReader(commissionList, commissionReader(affiliate.Spot))
		check(t, body, p, func(c affiliate.Commission) {
			if strings.TrimSpace(string(c.UID)) == "" || c.Coin == "" || c.Product == "" {
				t.Errorf("incomplete: %+v", c)
			}
			checkText(t, string(c.UID), string(c.Coin), string(c.Product), c.Symbol, string(c.Source))
			checkTime(t, true, c.DealTime)
			checkNumber(t, true, c.Fee, c.Commission)
			checkNumber(t, false, c.Rate, c.TakerAmount, c.MakerAmount)
		})
	})
}

func FuzzDecodeInvitees(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(inviteeList, readInvitee), func(v affiliate.Invitee) {
			if v.UID == "" || v.KYC != "" && v.KYC != "true" && v.KYC != "false" {
				t.Errorf("%+v", v)
			}
			checkText(t, string(v.UID), v.InviteCode)
			checkTime(t, false, v.RegisterTime, v.FirstDeposit, v.FirstTrade, v.LastDeposit, v.LastTrade)
		})
	})
}

func FuzzDecodeSubAffiliateDays(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		p := wire.NewPageReader(subAffiliateList, subAffiliateReader(affiliate.Spot))
		check(t, body, p, func(d affiliate.SubAffiliateDay) {
			if d.UID == "" || d.Product == "" || d.Date.String() < "2010-01-01" || d.Date.String() > "2099-12-31" {
				t.Errorf("%+v", d)
			}
			checkText(t, string(d.UID), string(d.Product))
			checkNumber(t, true, d.TradingVolume, d.NetTradingFee, d.PaidCommission)
		})
	})
}

// more lists seeds for the decoders of the other chapters.
func more(f *testing.F, bodies ...string) {
	f.Helper()
	seeds(f)
	for _, b := range bodies {
		for _, s := range []string{b, wrap(b), wrap("[" + b + "]")} {
			f.Add([]byte(s))
		}
	}
}

func FuzzDecodePairs(f *testing.F) {
	more(f, `{"symbol":"A_SPBL","baseCoin":"A","quoteCoin":"B","tickSize":1e-5,"enableTrade":"true"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(wire.DataList, wire.ReadRow[TradingPair]), func(p TradingPair) {
			if p.Symbol == "" || p.BaseCoin == "" || p.QuoteCoin == "" {
				t.Errorf("%+v", p)
			}
			checkText(t, p.Symbol, p.BaseCoin, p.QuoteCoin, string(p.DisplayDigitMerge))
			checkNumber(t, false, p.TickSize, p.StepSize, p.MinTradeAmount, p.MaxTradeAmount, p.TakerFeeRate, p.MakerFeeRate)
			checkFlag(t, p.EnableTrade, p.EnableDisplay, p.DisplayNew, p.DisplayHot, p.SupportTracing, p.SupportPlanMarket)
		})
	})
}

func FuzzDecodeCurrencies(f *testing.F) {
	more(f, `{"coinId":1,"coinName":"A","chains":[{"chain":null,"needTag":"false","withdrawFee":0.1},{"chain":""}]}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(wire.DataList, wire.ReadRow[Currency]), func(c Currency) {
			if c.CoinID == "" || c.CoinName == "" {
				t.Errorf("%+v", c)
			}
			checkText(t, c.CoinID, string(c.CoinName))
			checkFlag(t, c.Transfer)
			for _, v := range c.Chains {
				checkText(t, v.Chain.Value, string(v.BrowserURL), v.ContractAddress.Value)
				checkNumber(t, false, v.WithdrawFee, v.DepositConfirm, v.WithdrawConfirm, v.MinDepositAmount, v.MinWithdrawAmount)
				checkFlag(t, v.NeedTag, v.WithdrawAble, v.RechargeAble)
				if !v.Chain.Given && v.Chain.Value != "" {
					t.Errorf("%+v", v)
				}
			}
		})
	})
}

func FuzzDecodeTickers(f *testing.F) {
	more(f, `{"symbol":"A","trades":"12","priceChangePercent":-0.01,"ts":"1756103438804"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(wire.DataList, readTicker), func(v Ticker) {
			if v.Symbol == "" || v.Trades < -1 {
				t.Errorf("%+v", v)
			}
			checkText(t, v.Symbol)
			checkNumber(t, false, v.PriceChange, v.PriceChangePercent, v.Size, v.Value, v.High, v.Low, v.Open, v.Close, v.LastPrice, v.OpenInterest)
			checkTime(t, false, v.HighTime, v.LowTime, v.StartTime, v.EndTime, v.Time)
		})
	})
}

func FuzzDecodeTrades(f *testing.F) {
	more(f, `{"symbol":"A","tradeId":9007199254740993,"fillTime":"1756103438804","fillPrice":1,"fillQuantity":"2","bestMatch":true}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(wire.DataList, wire.ReadRow[Trade]), func(v Trade) {
			checkText(t, string(v.Symbol), v.TradeID)
			checkTime(t, true, v.FillTime)
			checkNumber(t, true, v.FillPrice, v.FillQuantity)
			checkNumber(t, false, v.TradeValue)
			checkFlag(t, v.BestMatch, v.BuyerMaker)
		})
	})
}

func FuzzDecodeContractTickers(f *testing.F) {
	more(f, `{`+contractRow+`}`, `[{`+numeric(contractRow)+`}]`)
	f.Fuzz(func(t *testing.T, body []byte) {
		each := func(v ContractTicker) {
			if v.Symbol == "" {
				t.Errorf("%+v", v)
			}
			checkText(t, v.Symbol)
			checkTime(t, false, v.Time)
			checkNumber(t, true, v.Last)
			checkNumber(t, false, v.BestAsk, v.BestBid, v.High24h, v.Low24h, v.Volume24h, v.BaseVolume, v.PriceChangePercent, v.MarkPrice, v.IndexPrice)
		}
		check(t, body, newContractTickers(), each)
		one := newContractTicker()
		if a, fault, err := wire.ReadEnvelope(body, success, one); err == nil && fault == nil && a.OK() {
			each(one.Value)
		}
	})
}

func FuzzDecodeOpenOrders(f *testing.F) {
	more(f, `{"orderInfoResultList":[{"orderId":9007199254740993,"symbol":"A","side":"BUY","quantity":1,"cTime":"1756103438804"}],"nextPage":null}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(openOrderList, wire.ReadRow[OpenOrder]), func(o OpenOrder) {
			if o.OrderID == "" || o.OrderID == "0" || o.Symbol == "" || o.Side == "" {
				t.Errorf("%+v", o)
			}
			checkText(t, o.AccountID, o.Symbol, o.OrderID, string(o.ClientOrderID), string(o.Type), string(o.Side), string(o.Status))
			checkTime(t, false, o.Created, o.Updated)
			checkNumber(t, true, o.Quantity)
			checkNumber(t, false, o.Price, o.LatestFillPrice, o.MaxFillPrice, o.MinFillPrice, o.FillQuantity, o.FillTotalAmount)
		})
	})
}

func FuzzDecodeFills(f *testing.F) {
	more(f, `{"fillsOrderResultList":[{"orderId":1,"fillId":"2","symbol":"A","side":"sell","fillPrice":"","fillQuantity":1,"cTime":"1756103438804"}],"nextPage":true,"totals":0}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(fillList, wire.ReadRow[Fill]), func(v Fill) {
			if v.OrderID == "" || v.FillID == "" || v.Symbol == "" || v.Side == "" {
				t.Errorf("%+v", v)
			}
			checkText(t, v.AccountID, v.Symbol, v.OrderID, v.FillID, string(v.BaseCoin), string(v.QuoteCoin), string(v.Type), string(v.Side))
			checkTime(t, true, v.Created)
			checkNumber(t, true, v.FillQuantity)
			checkNumber(t, false, v.FillPrice, v.FillTotalAmount, v.Fees)
		})
	})
}

func FuzzDecodeBills(f *testing.F) {
	more(f, `{"billId":1,"coinId":2,"coinName":"A","bizType":"deposit","deltaAmount":-1,"cTime":1756103438804}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(wire.DataList, wire.ReadRow[Bill]), func(b Bill) {
			if b.BillID == "" || b.CoinName == "" || b.Type == "" {
				t.Errorf("%+v", b)
			}
			checkText(t, b.BillID, b.CoinID, string(b.CoinName), string(b.Type))
			checkTime(t, true, b.Created)
			checkNumber(t, true, b.DeltaAmount)
			checkNumber(t, false, b.FillSize, b.FillValue, b.AfterAmount, b.Fees)
		})
	})
}

func FuzzDecodeFundingBills(f *testing.F) {
	more(f, `{"total":1,"page":1,"pageSize":10,"hasNextPage":false,"items":[{"billId":"1","coinName":"A","bizType":"deposit","cTime":"1756103438804"}]}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(fundingBillList, wire.ReadRow[FundingBill]), func(b FundingBill) {
			if b.BillID == "" || b.CoinName == "" || b.Type == "" {
				t.Errorf("%+v", b)
			}
			checkText(t, b.BillID, b.CoinID, string(b.CoinName), string(b.Type))
			checkTime(t, true, b.Created)
			checkNumber(t, false, b.DeltaAmount, b.AfterAmount, b.Fees)
		})
	})
}

func FuzzDecodeTransfers(f *testing.F) {
	more(f, `{"coinName":"A","status":"x","toSymbol":"","amount":1.50,"tradeTime":"1756103438804"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, wire.NewPageReader(wire.DataList, wire.ReadRow[Transfer]), func(v Transfer) {
			checkText(t, string(v.CoinName), string(v.Status), string(v.ToType), string(v.ToSymbol), string(v.FromType), string(v.FromSymbol))
			checkTime(t, true, v.Time)
			checkNumber(t, true, v.Amount)
		})
	})
}

// After any answer to an order call, an order is placed or cancelled only if a success
// names it, and refused only with a code.
func FuzzOrderAnswers(f *testing.F) {
	for _, call := range orderCalls {
		for _, status := range []int{200, 400, 500} {
			f.Add([]byte(call.ok), status)
			f.Add([]byte(strings.Replace(call.ok, "00000", "40020", 1)), status)
		}
	}
	f.Add([]byte(wrap(`{"successList":[],"failureList":[{"orderId":"7","clientOid":"","errMsg":"FAILED_ORDER_NOT_FOUND"}]}`)), 200)
	f.Add([]byte(wrap(`{"order_id":7,"result":false,"err_code":"40015","err_msg":null}`)), 200)
	c, err := New(exchange.Config{BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		classified := func(p wire.Payload) verdict {
			return c.verdict(background, c.t.Open(background, exchange.Endpoint{}, transport.Received{Status: status, Body: body, Left: true}, p, time.Time{}, nil))
		}
		one, list := wire.NewObjectReader(wire.Lacking[placement]), wire.NewObjectReader(wire.Lacking[placements])
		cancel, cancels := wire.NewObjectReader(wire.Lacking[cancellation]), wire.NewObjectReader(wire.Lacking[cancellations])
		outcomes := []Outcome{classified(one).placed(one.Value, one.Garbled, "mine-1")}
		outcomes = append(outcomes, classified(list).placedAll(list.Value.Items.All(), list.Garbled, []string{"mine-1", "mine-2"})...)
		outcomes = append(outcomes, classified(cancel).cancelled(cancel.Value, cancel.Garbled, pair, OrderRef{OrderID: "7"}))
		outcomes = append(outcomes, classified(cancels).cancelledAll(cancels.Value, cancels.Garbled, OrderRefs{OrderIDs: []string{"7", "8"}})...)
		outcomes = append(outcomes, classified(cancels).cancelledAll(cancels.Value, cancels.Garbled, OrderRefs{ClientOrderIDs: []string{"a"}})...)
		for _, o := range outcomes {
			checkText(t, o.OrderID, o.Evidence.Code)
			switch o.State {
			case Placed, Cancelled:
				if !transport.IsSuccess(status) || o.State == Placed && o.OrderID == "" || o.Evidence.Err != nil {
					t.Errorf("%d %q: %+v", status, body, o)
				}
			case Refused:
				if !refusing(status) && status != 429 {
					t.Errorf("%d %q: %+v", status, body, o)
				}
			case Unknown:
			default:
				t.Errorf("%d %q: %+v", status, body, o)
			}
		}
	})
}

func checkFlag(t *testing.T, flags ...affiliate.Flag) {
	for _, f := range flags {
		if f != "" && f != yes && f != no {
			t.Errorf("flag %q", f)
		}
	}
}

// Any value survives encoding into a query or a body, so that the signed bytes mean what
// the caller requested.
func FuzzParameters(f *testing.F) {
	f.Add("mine-1", "a b&c=d")
	f.Add(`"}`, "\xff\u2028")
	f.Fuzz(func(t *testing.T, one, two string) {
		get, post := fields{endpoint: exchange.Endpoint{Method: "GET"}}, fields{endpoint: exchange.Endpoint{Method: "POST"}}
		for _, v := range []*fields{&get, &post} {
			v.text("one", one)
			v.number("n", 7)
			v.text("two", two)
		}
		q, err := url.ParseQuery(get.call().Query)
		if err != nil || q.Get("one") != one || q.Get("two") != two || q.Get("n") != "7" {
			t.Errorf("%q, %q became %q: %v", one, two, get.call().Query, err)
		}
		var body struct {
			One, Two string
			N        int
		}
		err = json.Unmarshal([]byte(post.call().Body), &body)
		valid := func(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }
		if err != nil || body.N != 7 || utf8.ValidString(one) && body.One != one || utf8.ValidString(two) && body.Two != two || valid(body.One) != body.One {
			t.Errorf("%q, %q became %q: %v", one, two, post.call().Body, err)
		}
	})
}
