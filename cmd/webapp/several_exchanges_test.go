package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/exchange/simulated"
)

// Accounts of several exchanges are collected by one command with nothing but settings, one that fails
// stops no other, and the export says of each row whose it is and what it covers.
func TestSeveralExchangesBehindOneDesk(t *testing.T) {
	t.Parallel()
	var settings strings.Builder
	ledgers := map[string]string{}
	for _, name := range []string{"bitget", "kucoin", "mexc", "okx"} {
		server, err := simulated.Listen("127.0.0.1:0", simulators[name](simulated.Options{Seed: 4, Days: 9, Invitees: 4, Now: time.Now}, 0))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		})
		key, secret, passphrase := simulators[name](simulated.Options{Now: time.Now}, 0).Credentials()
		fmt.Fprintf(&settings, "[[account]]\nname = %q\nexchange = %q\nbase_url = %q\napi_key = %q\napi_secret = %q\n", name+"1", name, server.BaseURL, key, secret)
		if passphrase != "" {
			fmt.Fprintf(&settings, "api_passphrase = %q\n", passphrase)
		}
		ledgers[name] = server.BaseURL + "/ledger/commissions.csv"
	}
	fmt.Fprint(&settings, "[[account]]\nname = \"house\"\nexchange = \"file\"\n")
	dir := t.TempDir()
	config := filepath.Join(dir, "desk.toml")
	if err := os.WriteFile(config, []byte(settings.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &harness{TB: t, db: filepath.Join(dir, "desk.db"), now: time.Now}
	d.env = []string{"REBATEDESK_DB=" + d.db, "REBATEDESK_LOG_LEVEL=error", "REBATEDESK_CONFIG=" + config, "REBATEDESK_HISTORY=20d"}
	do := func(want int, args ...string) (out, said string) {
		t.Helper()
		status, out, said := d.run(t.Context(), nil, args...)
		if status != want {
			t.Fatalf("%v: %d, %s%s", args, status, out, said)
		}
		return out, said
	}
	do(statusDone, "collect")
	do(statusDone, "verify")
	out, _ := do(statusDone, "export", "commissions")
	table, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(table[0], name) }
	rows := map[string]int{}
	for _, row := range table[1:] {
		exchange := row[column("exchange")]
		rows[exchange]++
		grain := map[string]string{"bitget": "day", "mexc": "day", "kucoin": "trade"}[exchange]
		begin, until := row[column("deal_time_utc")], row[column("until_utc")]
		if row[column("account")] != exchange+"1" || row[column("grain")] != grain || (grain == "day") != (until != "") {
			t.Errorf("a row is %v", row)
		}
		if grain == "day" && (!strings.HasSuffix(begin, "T16:00:00.000Z") || !strings.HasSuffix(until, "T16:00:00.000Z") || until <= begin) {
			t.Errorf("a day goes from %s to %s", begin, until)
		}
		if exchange == "mexc" && row[column("fee")] != "" || exchange != "mexc" && row[column("rate")] != "" {
			t.Errorf("what is not told is told: %v", row)
		}
	}
	for _, name := range []string{"bitget", "kucoin", "mexc"} {
		resp, err := http.Get(ledgers[name])
		if err != nil {
			t.Fatal(err)
		}
		truth, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := strings.Count(string(truth), "\n") - 1; err != nil || want < 20 || rows[name] != want {
			t.Errorf("%s has %d rows, and its ledger %d: %v", name, rows[name], want, err)
		}
	}
	if rows["okx"] != 0 {
		t.Errorf("the first reading of figures that only grow made %d rows", rows["okx"])
	}

	// What the exchanges say they have paid closes the books of most days.
	out, _ = do(statusDone, "export", "payments")
	if table, err = csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	matched := map[string]int{}
	for _, row := range table[1:] {
		if row[column("state")] == "matched" {
			matched[row[column("account")]]++
		}
	}
	if matched["bitget1"] < 3 || matched["kucoin1"] < 3 {
		t.Errorf("paid in full are %v", matched)
	}

	// The same name for another exchange is refused, and one wrong key leaves the others as they are.
	mixed := strings.Replace(settings.String(), "\"bitget1\"", "\"kucoin2\"", 1)
	mixed = strings.Replace(mixed, "\"kucoin1\"", "\"bitget1\"", 1)
	if err := os.WriteFile(config, []byte(mixed), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := do(statusFailed, "collect"); !strings.Contains(said, "has records of bitget") {
		t.Errorf("another exchange under the same name: %s", said)
	}
}
