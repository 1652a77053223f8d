package weex

import (
	"rebatedesk/exchange"

	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// fullPage returns a page of 100 commissions as the exchange sends it.
func fullPage() []byte {
	coins := []string{"USDT", "USDT", "USDT", "USDC", "BTC"}
	list := make([]string, 100)
	for i := range list {
		list[i] = fmt.Sprintf(`{"uid":"46677768%02d","dealTime":"17556877%05d","coin":%q,"fee":"0.%06d","commission":"0.0%06d","rate":"0.1","symbol":"cmt_btcusdt","sourceType":1,"takerAmount":"%d.619","makerAmount":"0"}`,
			i%40, i*700, coins[i%len(coins)], 682571+i, 68257+i, 1137+i)
	}
	return []byte(`{"code":"200","data":{"pages":11,"pageSize":100,"total":1014,"channelCommissionInfoItems":[` +
		strings.Join(list, ",") + `]},"timestamp":1756103438804}`)
}

func decodeCommissions(body []byte) (exchange.Page[affiliate.Commission], error) {
	p := wire.NewPageReader(commissionList, commissionReader(affiliate.Spot))
	_, fault, err := wire.ReadEnvelope(body, success, p)
	if err == nil {
		err = fault
	}
	return p.Page, err
}

// BenchmarkDecodeCommissionPage decodes one page of 100 rows. It compares this with
// encoding/json into plain structs of strings, which checks nothing.
func BenchmarkDecodeCommissionPage(b *testing.B) {
	body := fullPage()
	b.Run("exchange", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			p, err := decodeCommissions(body)
			if err != nil || len(p.Records) != 100 {
				b.Fatal(len(p.Records), err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var answer struct {
				Code string
				Data struct {
					Pages, PageSize, Total int
					Items                  []struct {
						UID         string `json:"uid"`
						DealTime    string `json:"dealTime"`
						Coin        string `json:"coin"`
						Fee         string `json:"fee"`
						Commission  string `json:"commission"`
						Rate        string `json:"rate"`
						Symbol      string `json:"symbol"`
						SourceType  int    `json:"sourceType"`
						TakerAmount string `json:"takerAmount"`
						MakerAmount string `json:"makerAmount"`
					} `json:"channelCommissionInfoItems"`
				}
			}
			if err := json.Unmarshal(body, &answer); err != nil || len(answer.Data.Items) != 100 {
				b.Fatal(len(answer.Data.Items), err)
			}
		}
	})
}
