package money_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
)

// driversJSON is /drivers.json as other programs read it.
type driversJSON struct {
	Coin                  string
	Before, After, Change string
	Contributions         []contributionJSON
	Effects               map[string]string
	Range, Compared       struct{ From, To string }
}

type contributionJSON struct{ Key, Before, After, Change string }

// exactly returns the value of a plain decimal.
func exactly(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// commissionIn adds up a file of commission records.
func commissionIn(t *testing.T, address string) *big.Rat {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(site.Get(t, address).Body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sum, column := new(big.Rat), slices.Index(rows[0], "commission")
	for _, row := range rows[1:] {
		if row[column] != "" {
			sum.Add(sum, exactly(t, row[column]))
		}
	}
	return sum
}

// What programs read adds up to the last digit, along each dimension, and each contribution is
// the sum of the records to which the page leads.
func TestDriversLeadToTheRecords(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	for by, param := range map[string]string{"invitee": "uid", "code": "code", "symbol": "symbol", "product": "product", "source": "source"} {
		var o driversJSON
		a := site.Get(t, h.Address+"/drivers.json?range=14d&by="+by)
		if err := json.Unmarshal([]byte(a.Body), &o); err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: status %d, %v: %.200s", by, a.StatusCode, err, a.Body)
		}
		contributions, effects := new(big.Rat), new(big.Rat)
		for _, c := range o.Contributions {
			contributions.Add(contributions, exactly(t, c.Change))
		}
		for _, name := range []string{"volume", "fee_rate", "rebate_rate", "rest"} {
			effects.Add(effects, exactly(t, o.Effects[name]))
		}
		change := new(big.Rat).Sub(exactly(t, o.After), exactly(t, o.Before))
		if change.Sign() == 0 || exactly(t, o.Change).Cmp(change) != 0 || contributions.Cmp(change) != 0 || effects.Cmp(change) != 0 || len(o.Effects) != 4 {
			t.Errorf("%s: %s → %s is %s, contributions %s, effects %v", by, o.Before, o.After, o.Change, contributions.FloatString(18), o.Effects)
		}
		top := o.Contributions[slices.IndexFunc(o.Contributions, func(c contributionJSON) bool { return c.Key != "" })]
		for _, period := range []struct{ from, to, amount string }{{o.Range.From, o.Range.To, top.After}, {o.Compared.From, o.Compared.To, top.Before}} {
			records := url.Values{param: {top.Key}, "coin": {o.Coin}, "from": {period.from}, "to": {period.to}}
			if got := commissionIn(t, h.Address+"/commissions.csv?"+records.Encode()); got.Cmp(exactly(t, period.amount)) != 0 {
				t.Errorf("%s %s: the records of %s are %s, the contribution says %s", by, top.Key, period.from, got.FloatString(18), period.amount)
			}
			page := html.UnescapeString(site.Get(t, h.Address+"/drivers?range=14d&by="+by).Body)
			if link := `href="/commissions?` + records.Encode() + `"`; !strings.Contains(page, link) && exactly(t, period.amount).Sign() != 0 {
				t.Errorf("%s: the page has no %s", by, link)
			}
		}
	}
}

// Every change of a comparison leads to its drivers: on cards, in rankings and in tables.
func TestChangesLeadToDrivers(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	link := regexp.MustCompile(`<a class="drivers-link" href="(/drivers[^"]*)"`)
	for page, wants := range map[string][]string{
		"/?range=14d&compare=previous&product=FUTURES": {"coin=USDT", "#effects", "uid=", "symbol=", "code=", "source=direct", "product=FUTURES"},
		"/invitees?range=14d&compare=previous":         {"uid=", "by=symbol"},
		"/codes?range=14d&compare=previous":            {"code=", "by=code"},
		"/invitees/:uid?range=14d&compare=previous":    {"uid=" + h.Invitee},
	} {
		found := map[string]bool{}
		for _, match := range link.FindAllStringSubmatch(site.Get(t, h.At(page)).Body, -1) {
			found[html.UnescapeString(match[1])] = true
		}
		for _, want := range wants {
			at := ""
			for href := range found {
				if !strings.Contains(href, "range=14d") || !strings.Contains(href, "compare=previous") {
					t.Fatalf("%s leads to %s", page, href)
				}
				if strings.Contains(href, want) {
					at = href
				}
			}
			if at == "" {
				t.Errorf("%s: no change leads to drivers with %s: %v", page, want, found)
				continue
			}
			if a := site.Get(t, h.Address+at); a.StatusCode != 200 || !strings.Contains(a.Body, `id="answer"`) {
				t.Errorf("%s leads to %s: status %d", page, at, a.StatusCode)
			}
		}
		if plain := site.Get(t, h.At(strings.ReplaceAll(page, "compare=previous", "compare=none"))).Body; strings.Contains(plain, "drivers-link") {
			t.Errorf("%s: without a comparison something leads to drivers", page)
		}
	}
}

// The overview says in the same words what moved the commission as the page that it leads to.
func TestOverviewSaysWhatMovedIt(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	overview := site.Get(t, h.Address+"/?range=14d&compare=weekday&source=direct").Body
	if strings.Contains(site.Get(t, h.Address+"/?range=14d&compare=none").Body, "drivers-card") {
		t.Error("without a comparison the overview says what moved it")
	}
	page := site.Get(t, h.Address+"/drivers?compare=weekday&range=14d&source=direct").Body
	_, said, _ := strings.Cut(page, `id="answer"`)
	_, said, _ = strings.Cut(said, ">")
	said, _, _ = strings.Cut(said, "</p>")
	if !strings.HasPrefix(said, "Commission ") || !strings.Contains(overview, said) {
		t.Errorf("the card does not say %q", said)
	}
	if a := site.Get(t, h.Address+"/drivers?compare=none"); a.StatusCode != 400 || !strings.Contains(a.Body, "is none of previous, weekday, month, year") {
		t.Errorf("compared with nothing: status %d", a.StatusCode)
	}
	if a := site.Get(t, h.Address+"/drivers?from=2001-01-01&to=2001-01-31&compare=year"); !strings.Contains(a.Body, "Before the collected history") || strings.Contains(a.Body, "0.00") {
		t.Errorf("before all records the page is not empty: %d", a.StatusCode)
	}
}
