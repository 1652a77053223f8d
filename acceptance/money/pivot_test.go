package money_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
)

var pivotCell = regexp.MustCompile(`<td class="num[^"]*"><a class="[^"]*" href="(/commissions\?[^"]+)" title="([0-9.,-]+) ([^ ,"]+), ([0-9,]+) records?"`)

// Each cell of a pivot table opens the records that it adds up, to the last digit. The table is
// saved as a view, and its file has the rows of the page.
func TestPivotLeadsToItsRecords(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	for _, asked := range []string{"by=month&across=product", "by=code&across=source&coin=BTC", "by=invitee&across=week&per=50", "by=symbol&across=coin", "by=day&across=account&show=row-share"} {
		page := site.Get(t, address+"/pivot?range=90d&"+asked)
		cells := pivotCell.FindAllStringSubmatch(page.Body, -1)
		if page.StatusCode != 200 || len(cells) < 3 {
			t.Fatalf("%s: status %d, %d cells with links", asked, page.StatusCode, len(cells))
		}
		for _, cell := range []int{0, len(cells) / 2, len(cells) - 1} {
			link, value, coin, records := html.UnescapeString(cells[cell][1]), cells[cell][2], cells[cell][3], cells[cell][4]
			var list struct {
				Rows []struct{ Commission, Coin affiliate.Number }
			}
			file := strings.Replace(link, "/commissions?", "/commissions.json?", 1)
			if err := json.Unmarshal([]byte(site.Get(t, address+file).Body), &list); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			sum := new(big.Rat)
			for _, row := range list.Rows {
				sum.Add(sum, site.Rat(row.Commission))
				if string(row.Coin) != coin {
					t.Errorf("%s: a record in %s, the cell is in %s", link, row.Coin, coin)
				}
			}
			if sum.Cmp(site.Rat(affiliate.Number(strings.ReplaceAll(value, ",", "")))) != 0 || fmt.Sprint(len(list.Rows)) != strings.ReplaceAll(records, ",", "") {
				t.Errorf("%s: the cell has %s of %s records, the records %s of %d", link, value, records, sum.FloatString(18), len(list.Rows))
			}
		}
	}
	table := strings.Count(site.Get(t, address+"/pivot.csv?range=90d&by=product&across=month").Body, "\r\n")
	if page := site.Get(t, address+"/pivot?range=90d&by=product&across=month").Body; table != strings.Count(page, `<th scope="row"`) {
		t.Errorf("the file has %d lines, the page %d rows with the total", table, strings.Count(page, `<th scope="row"`))
	}
	for _, same := range []string{"/pivot?by=day&across=day", "/pivot?by=month", "/pivot.csv?across=code", "/pivot.json?by=tag&across=tag", "/pivot.xlsx?by=coin&across=coin"} {
		if a := site.Get(t, address+same); a.StatusCode != 400 || !strings.Contains(a.Body, "choose another one") {
			t.Errorf("%s: status %d", same, a.StatusCode)
		}
	}

	desk, _ := site.ServeEditable(t)
	saved := html.UnescapeString(site.Between(t, site.Get(t, desk+"/pivot?by=product&across=day&show=change&compare=year&page=1").Body, `name="query" value="`, `"`))
	a := site.Post(t, desk+"/views", nil, "token", site.TokenOf(t, desk), "name", "Products by day", "path", "/pivot", "query", saved)
	if want := "/pivot?across=day&by=product&compare=year&range=90d&show=change"; a.StatusCode != 303 || a.Header.Get("Location") != want {
		t.Errorf("saving the view: status %d leads to %q, want %q", a.StatusCode, a.Header.Get("Location"), want)
	}
	if page := site.Get(t, desk+a.Header.Get("Location")); page.StatusCode != 200 || !strings.Contains(page.Body, "Products by day") {
		t.Errorf("the view: status %d", page.StatusCode)
	}
}
