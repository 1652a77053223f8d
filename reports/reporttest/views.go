package reporttest

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store/storetest"
)

// viewsOfExports are the views for programs of others, with the columns that they share with an
// export.
var viewsOfExports = []struct {
	view    string
	kind    *export.Kind
	columns string
	sums    string // column whose sums by coin are compared; empty: none
}{
	{"rebatedesk_commissions", commissions.File, "deal_time_utc,deal_time_ms,account,uid,invite_code,product_type,symbol,source_type,coin,taker_amount,maker_amount,fee,rate,commission,first_seen_utc", "commission"},
	{"rebatedesk_daily", commissions.DailyFile, "date,account,product_type,coin,source_type,records,fee,commission,taker_amount,maker_amount", "commission"},
	{"rebatedesk_invitees", invitees.File, "account,uid,register_time_utc,kyc,first_deposit_utc,first_trade_utc,last_deposit_utc,last_trade_utc", ""},
	{"rebatedesk_sub_affiliate_days", subaffiliates.File, "account,sub_affiliate_uid,product_type,date,trading_volume,net_trading_fee,paid_commission", ""},
}

func (d *Fixture) ViewsEqualExports(t *testing.T, engine string) {
	t.Helper()
	d.FillVaried()
	for _, v := range viewsOfExports {
		columns := strings.Split(v.columns, ",")
		content, _ := d.Export(v.kind, export.CSV, d.AskFor(v.kind, "range=all"))
		want := plainRows(t, content, columns)
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = `coalesce(` + column + `::text, '')`
			if strings.HasSuffix(column, "_utc") {
				cells[i] = `coalesce(to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')`
			}
		}
		lines, err := storetest.Lines(d.DB, `SELECT concat_ws('|', `+strings.Join(cells, ", ")+`) FROM `+v.view)
		storetest.Done(t, err)
		var got []string
		for _, line := range lines {
			got = append(got, plainRow(strings.Split(line, "|")))
		}
		slices.Sort(got)
		if v.kind == invitees.File { // the export also has those known from commission only
			want = slices.DeleteFunc(want, func(row string) bool { return !slices.Contains(got, row) })
		}
		if len(got) == 0 && v.sums != "" || !slices.Equal(got, want) {
			t.Errorf("%s has %d rows\n%.2000s\nthe export %d\n%.2000s", v.view, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
		}
		if v.sums == "" {
			continue
		}
		sum, err := storetest.Lines(d.DB, `SELECT coin, sum(`+v.sums+`)::text FROM `+v.view+` GROUP BY coin ORDER BY coin`)
		storetest.Done(t, err)
		if exported := sumsByCoin(t, content, v.sums); !slices.Equal(plainLines(sum), exported) {
			t.Errorf("%s adds up to %q, the export to %q", v.view, sum, exported)
		}
	}
	d.viewsExplained()
	d.viewsReadable(engine)
}

// plainRows returns some columns of a CSV file, with numbers by their value, in order.
func plainRows(t *testing.T, content string, columns []string) (rows []string) {
	t.Helper()
	for _, record := range recordsOf(t, content) {
		var cells []string
		for _, column := range columns {
			cells = append(cells, record[column])
		}
		rows = append(rows, plainRow(cells))
	}
	slices.Sort(rows)
	return rows
}

func recordsOf(t *testing.T, content string) (list []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	storetest.Done(t, err)
	for _, line := range lines[1:] {
		record := map[string]string{}
		for i, cell := range line {
			record[lines[0][i]] = cell
		}
		list = append(list, record)
	}
	return list
}

// plainRow joins cells, with numbers by their value: 1.0 and 1 are one.
func plainRow(cells []string) string {
	plain := make([]string, len(cells))
	for i, cell := range cells {
		if n, ok := new(big.Rat).SetString(cell); ok {
			cell = n.RatString()
		}
		plain[i] = cell
	}
	return strings.Join(plain, "|")
}

// plainLines are lines of two words, with numbers by their value.
func plainLines(lines []string) []string {
	plain := make([]string, len(lines))
	for i, line := range lines {
		plain[i] = plainRow(strings.Fields(line))
	}
	return plain
}

func sumsByCoin(t *testing.T, content, column string) (lines []string) {
	t.Helper()
	sums := map[string]*big.Rat{}
	for _, record := range recordsOf(t, content) {
		of := record["coin"]
		if sums[of] == nil {
			sums[of] = new(big.Rat)
		}
		if n, ok := new(big.Rat).SetString(record[column]); ok {
			sums[of].Add(sums[of], n)
		}
	}
	for coin, sum := range sums {
		lines = append(lines, coin+"|"+sum.RatString())
	}
	slices.Sort(lines)
	return lines
}

func (d *Fixture) viewsExplained() {
	d.Helper()
	document, err := os.ReadFile("../docs/operations.md")
	storetest.Done(d, err)
	columns, err := storetest.Lines(d.DB, `
		SELECT column_name || ' ' || coalesce(col_description(table_name::regclass, ordinal_position), '')
		FROM information_schema.columns WHERE table_schema = current_schema() AND table_name LIKE 'rebatedesk\_%'`)
	storetest.Done(d, err)
	if len(columns) < 50 {
		d.Errorf("the views have %d columns", len(columns))
	}
	for _, column := range columns {
		name, comment, _ := strings.Cut(column, " ")
		if slices.ContainsFunc(affiliate.CommissionFields.After("commission"), func(f affiliate.Field[affiliate.Commission]) bool { return f.Column == name && f.Words == comment }) {
			continue
		}
		if comment == "" || !strings.Contains(string(document), "| `"+name+"` |") || !strings.Contains(string(document), "| "+comment+" |") {
			d.Errorf("%s is not explained: %q", name, comment)
		}
	}
}

func (d *Fixture) viewsReadable(engine string) {
	d.Helper()
	role := fmt.Sprintf("warehouse_%d", os.Getpid())
	var views []string
	for _, v := range viewsOfExports {
		views = append(views, v.view)
	}
	views = append(views, "rebatedesk_coverage")
	granted := views
	if engine == "Citus" { // its workers check the rights of the role itself (docs/operations.md)
		granted = append(slices.Clone(views), "commissions", "commission_days", "sub_affiliate_days", "coverage", "meta", "accounts", "invitees", "people")
	}
	storetest.Run(d, d.Path, "CREATE ROLE "+role+" LOGIN")
	storetest.Run(d, d.Path, "GRANT USAGE ON SCHEMA public TO "+role)
	for _, name := range granted { // Citus takes one table in each transaction
		storetest.Run(d, d.Path, "GRANT SELECT ON "+name+" TO "+role)
	}
	statements := []string{"SET ROLE " + role}
	for _, view := range views {
		statements = append(statements, "SELECT count(*) FROM "+view)
	}
	statements = append(statements, "DO $$BEGIN PERFORM name FROM users; RAISE EXCEPTION 'the role reads a table'; EXCEPTION WHEN insufficient_privilege THEN NULL; END$$")
	storetest.Run(d, d.Path, strings.Join(statements, "; "))
	storetest.Run(d, d.Path, "DROP OWNED BY "+role)
	storetest.Run(d, d.Path, "DROP ROLE "+role)
}
