package money_test

import (
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
)

// Each page has one total of volume, over the records of all coins and with a visible
// label. On the card of a coin it would look like that coin's volume.
func TestVolumeHasOneTotal(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	one := regexp.MustCompile(`(?s)<(?:p|div) id="volume".*?title="([0-9.]+): taker \+ maker[^"]*".*?</(?:p|div)>`)
	card := regexp.MustCompile(`(?s)<section[^>]*aria-label="(?:Earned|Total) in [^"]*".*?</section>`)
	uid := string(f.Invitees(url.Values{"range": {"14d"}}).Lines[0].UID)
	for page, file := range map[string]string{
		"/?range=14d": "", "/commissions?range=14d": "", "/invitees?range=14d": "", "/codes?range=14d": "",
		"/?range=7d&coin=BTC": "coin=BTC&", "/invitees?range=7d&product=SPOT": "product=SPOT&", "/invitees/" + uid + "?range=14d": "uid=" + uid + "&",
	} {
		want := new(big.Rat)
		_, days, _ := strings.Cut(page, "range=")
		days, _, _ = strings.Cut(days, "&")
		for _, row := range f.Rows("/commissions.csv?" + file + "range=" + days) {
			for _, name := range []string{"taker_amount", "maker_amount"} {
				amount, ok := new(big.Rat).SetString(row[name])
				if !ok {
					t.Fatalf("%v", row)
				}
				want.Add(want, amount)
			}
		}
		body := site.Get(t, f.Address+page).Body
		found := one.FindAllStringSubmatch(body, -1)
		if len(found) != 1 || !strings.Contains(found[0][0], "≈ quote currency, unit not documented") {
			t.Errorf("%s: the totals of volume are %q", page, found)
			continue
		}
		if !site.Same(found[0][1], want) || want.Sign() <= 0 {
			t.Errorf("%s: the volume is %s, want %s", page, found[0][1], want.FloatString(18))
		}
		for _, section := range card.FindAllString(body, -1) {
			if strings.Contains(section, "Volume") {
				t.Errorf("%s: a card of a coin has a volume", page)
			}
		}
	}
}
