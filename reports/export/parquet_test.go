package export

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"rebatedesk/affiliate"
)

// parquetLine is a row of the test, with unknown values among the others.
type parquetLine struct {
	uid    affiliate.UID
	amount affiliate.Number
	rate   affiliate.Number
	at     affiliate.Millis
	day    affiliate.Day
	count  int64
	flag   affiliate.Flag
}

var parquetColumns = []Column[parquetLine]{
	UIDColumn("uid", func(l *parquetLine) affiliate.UID { return l.uid }),
	TimeColumn("at_utc", func(l *parquetLine) affiliate.Millis { return l.at }),
	CoinColumn("coin", func(*parquetLine) affiliate.Coin { return "USDT" }),
	AmountColumn("amount", func(l *parquetLine) affiliate.Number { return l.amount }),
	DecimalColumn("fine", func(l *parquetLine) affiliate.Number { return l.rate }).Fine(),
	DayColumn("day", func(l *parquetLine) affiliate.Day { return l.day }),
	CountColumn("count", func(l *parquetLine) int64 { return l.count }),
	BoolColumn("flag", func(l *parquetLine) affiliate.Flag { return l.flag }),
}

func encoded(t *testing.T, lines []parquetLine) []byte {
	t.Helper()
	var b bytes.Buffer
	facts := Metadata{Kind: "test", From: "2026-09-01", To: "2026-09-02", Timezone: "UTC", AsOf: "2026-09-03T00:00:00Z", Complete: true, Written: time.Now().Format(time.RFC3339)}
	if _, err := Encode(&b, Parquet, TableOf(parquetColumns, Each(lines)), facts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every value comes back from a Parquet file as it was: exact decimals, unknown ones, the order of
// columns and rows over several row groups. Equal rows give equal bytes.
func TestParquet(t *testing.T) {
	t.Parallel()
	lines := []parquetLine{
		{uid: "00123", amount: "12345678901234567890.123456789012345678", rate: "0.1234567890123456789012345", at: 1_788_220_800_123, day: affiliate.NewDay(2026, time.September, 1), count: -7, flag: "true"},
		{uid: "9007199254740993", amount: "-0.000000000000000001", at: 0, day: affiliate.NewDay(1969, time.December, 31), flag: "false"},
		{uid: "=1+1,\xff", amount: "", rate: "1.50", at: 1, flag: ""},
		{uid: "4", amount: "-99999999999999999999.999999999999999999", at: 2},
		{uid: "5", amount: "0", at: 3},
	}
	for i := range parquetGroup + 1000 {
		lines = append(lines, parquetLine{uid: affiliate.UID(fmt.Sprint(i)), amount: affiliate.Number(fmt.Sprintf("%d.5", i)), at: affiliate.Millis(i + 1)})
	}
	content := encoded(t, lines)
	time.Sleep(time.Millisecond)
	if !bytes.Equal(content, encoded(t, lines)) {
		t.Error("the same rows give other bytes")
	}
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, field := range file.Schema().Fields() {
		columns = append(columns, field.Name()+" "+field.Type().String())
	}
	want := "uid STRING, at_utc TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS), coin STRING, amount DECIMAL(38,18), fine STRING, day DATE, count INT(64,true), flag BOOLEAN"
	if got := strings.Join(columns, ", "); got != want {
		t.Errorf("the columns are\n%s, want\n%s", got, want)
	}
	if state, ok := file.Lookup("as_of"); !ok || state != "2026-09-03T00:00:00Z" {
		t.Errorf("the state is %q", state)
	}
	if n := len(file.RowGroups()); n != 2 || file.NumRows() != int64(len(lines)) {
		t.Errorf("%d groups, %d rows", n, file.NumRows())
	}
	reader := parquet.NewReader(file)
	rows := make([]parquet.Row, 1)
	for i, line := range lines {
		if _, err := reader.ReadRows(rows); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		row := rows[0]
		if got := row[0].String(); got != strings.ToValidUTF8(string(line.uid), "\ufffd") {
			t.Fatalf("row %d: the UID is %q, want %q", i, got, line.uid)
		}
		if row[1].IsNull() != !line.at.Known() || line.at.Known() && row[1].Int64() != int64(line.at) {
			t.Fatalf("row %d: the time is %v, want %d", i, row[1], line.at)
		}
		if got, known := decimalOf(row[3]); known != line.amount.Known() || known && got != line.amount.Canonical() {
			t.Fatalf("row %d: the amount is %s, want %s", i, got, line.amount)
		}
		if row[4].IsNull() != !line.rate.Known() || line.rate.Known() && row[4].String() != string(line.rate) {
			t.Fatalf("row %d: the fine decimal is %v, want %s", i, row[4], line.rate)
		}
		if row[5].Int32() != int32(line.day) || row[6].Int64() != line.count || row[7].IsNull() != (line.flag == "") {
			t.Fatalf("row %d: %v", i, row)
		}
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
}

// decimalOf reads a decimal as the format defines it.
func decimalOf(v parquet.Value) (affiliate.Number, bool) {
	if v.IsNull() {
		return "", false
	}
	units := new(big.Int).SetBytes(v.ByteArray())
	if v.ByteArray()[0]&0x80 != 0 {
		units.Sub(units, new(big.Int).Lsh(big.NewInt(1), 8*decimalBytes))
	}
	return affiliate.Number(new(big.Rat).SetFrac(units, new(big.Int).Exp(big.NewInt(10), big.NewInt(affiliate.MostDecimals), nil)).FloatString(affiliate.MostDecimals)).Canonical(), true
}

// A decimal that does not fit is an error, and never another value.
func TestParquetRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"100000000000000000000", "0.0000000000000000001", "1e5", "NaN", "--1", "1.", strings.Repeat("9", 1000)} {
		if units, err := decimalUnits(text); err == nil && text != "1." {
			t.Errorf("%.50s became %x", text, units)
		}
	}
	var b bytes.Buffer
	if _, err := Encode(&b, Parquet, TableOf(parquetColumns, Each([]parquetLine{{amount: "100000000000000000000"}})), Metadata{}); err == nil || !strings.Contains(err.Error(), "the amount of row 1") {
		t.Errorf("%v", err)
	}
}
