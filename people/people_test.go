package people

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
)

// escapes draws texts that look like the escapes of a workbook.
func escapes() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"_", "x", "_x0041", "_x0041_", "_xD83D_", "_xDE00_", "_x005F_", "005F_", "_x000d_", "a", "_X0041_", "_xZZZZ_"}), 1, 6).Draw(t, "pieces"), "")
		return text[:min(len(text), MaxTag)]
	})
}

// anyText draws a text that may be stored.
func anyText(t *rapid.T) string { return checked(FieldName, rapid.String().Draw(t, "text")) }

// checked returns a text as it is stored, "" for one that is not.
func checked(f PersonField, text string) string {
	stored, err := CheckValue(f, text)
	if err != nil {
		return ""
	}
	return stored
}

func drawPeople(t *rapid.T) (list []Person) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "Ann", "=1+1", "'=a", "'quoted'", "+49", "a,\"b\";c", "Größe 王", "-5", "@x", "''=b", "sep=;", "00123", "1E5", "TRUE", "#N/A"}), escapes(), rapid.Custom(anyText))
	tag := rapid.OneOf(rapid.SampledFrom([]string{"VIP", "Asia, east", "=sum", "Größe", "b"}), escapes())
	for n := range rapid.IntRange(1, 5).Draw(t, "people") {
		p := Person{UID: affiliate.UID("466777681" + string(rune('0'+n))), Name: text.Draw(t, "name"), InviteCode: text.Draw(t, "code"), Owner: text.Draw(t, "owner"), Note: checked(FieldNote, text.Draw(t, "note")+rapid.SampledFrom([]string{"", "\n", "\r\n\r\n"}).Draw(t, "break")+text.Draw(t, "more"))}
		p.Set(FieldTags, strings.Join(rapid.SliceOfN(tag, 0, 3).Draw(t, "tags"), TagSeparator))
		if rapid.Bool().Draw(t, "costs") {
			p.Cost, p.CostCoin = rapid.SampledFrom([]affiliate.Number{"0", "12.50", "007"}).Draw(t, "cost"), "USDT"
		}
		p.Contact = Contact{Phone: rapid.SampledFrom([]string{"", "+4915123456", "0049151234"}).Draw(t, "phone"), Email: rapid.SampledFrom([]string{"", "ann+x@example.com", "=a@example.com"}).Draw(t, "email"), Telegram: rapid.SampledFrom([]string{"", "ann_x", "12345", "TRUE_"}).Draw(t, "telegram")}
		list = append(list, p)
	}
	return list
}

// What is written is read as the same, in both forms.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawPeople(t)
		for name, write := range map[string]func(*bytes.Buffer) error{
			"csv":  func(b *bytes.Buffer) error { return WriteCSV(b, list) },
			"xlsx": func(b *bytes.Buffer) error { return WriteWorkbook(b, list) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			file, err := ParseFile(context.Background(), b.Bytes())
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, b.String())
			}
			if len(file.Entries) != len(list) {
				t.Fatalf("%s: %d entries of %d people", name, len(file.Entries), len(list))
			}
			for i, e := range file.Entries {
				got := e.Apply(Person{})
				for _, f := range PersonFields() {
					if got.Value(f) != list[i].Value(f) || got.UID != list[i].UID {
						t.Fatalf("%s: %s of %s is %q, want %q", name, f, got.UID, got.Value(f), list[i].Value(f))
					}
				}
			}
		}
	})
}

func TestReading(t *testing.T) {
	for name, text := range map[string]string{
		"any order": "Tags,UID,name\n\"VIP;Asia\",1,Ann\n\"b,a\",2,-\n",
		"semicolon": "\ufeffTags;UID;name\r\n\"VIP;Asia\";1;Ann\r\nb,a;2;-\r\n;;\r\n\"VIP;Asia\";1;Ann\r\n",
	} {
		file, err := ParseFile(t.Context(), []byte(text))
		if err != nil || len(file.Entries) != 2 {
			t.Fatalf("%s: %+v (%v)", name, file, err)
		}
		want := []GivenValue{{FieldName, "Ann"}, {FieldTags, "Asia;VIP"}}
		if !slices.Equal(file.Entries[0].Values, want) {
			t.Errorf("%s: the first says %v, want %v", name, file.Entries[0].Values, want)
		}
		if want := []GivenValue{{FieldName, ""}, {FieldTags, "a;b"}}; !slices.Equal(file.Entries[1].Values, want) {
			t.Errorf("%s: the second says %v, want %v", name, file.Entries[1].Values, want)
		}
		if repeats := strings.Count(name, "semi"); file.Repeats != repeats {
			t.Errorf("%s: %d repeats, want %d", name, file.Repeats, repeats)
		}
	}
}

// Each fault is named with its line and column.
func TestFaults(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                               {"line 1: the file is empty"},
		"uid,colour,fax\n":                               {"line 1, column 2 (colour): unknown column", "line 1, column 3 (fax): unknown column"},
		"uid,uid\n":                                      {"line 1, column 2 (uid): the column stands twice"},
		"name\nAnn\n":                                    {"line 1: the column uid is missing"},
		"uid,name\n1,Ann\n2,Bo\n1,Cy\n":                  {"line 4, column 1 (uid): the UID 1 stands in line 2 too, with other values: keep one of the lines 2 and 4"},
		"uid,cost,cost_coin\n1,5,\n":                     {"line 2, column 2 (cost): the cost 5 has no coin"},
		"uid,cost,cost_coin\n1,,USDT\n":                  {"line 2, column 3 (cost_coin): the coin USDT stands without a cost"},
		"uid,cost,cost_coin\n1,-,USDT\n":                 {"stands beside a cost that is removed"},
		"uid,cost,cost_coin\n1,-5,USDT\n":                {"is negative"},
		"uid,cost,cost_coin\n1,1e3,USDT\n":               {"is not a plain number"},
		"uid,cost,cost_coin\n1,\"1,5\",B\n":              {"has a comma"},
		"uid\n1.23E+15\n4667776811123456.0\n":            {"line 2, column 1 (uid): \"1.23E+15\" is a UID that a spreadsheet took", "line 3, column 1 (uid)"},
		"uid\nab cd\n\n":                                 {"line 2, column 1 (uid): \"ab cd\" is not a UID"},
		"uid,name\n,Ann\n":                               {"line 2, column 1 (uid): the UID is missing"},
		"uid,name\n1\n":                                  {"line 2: 1 cell, but the header names 2 columns"},
		"uid,name\n1,\"Ann\n":                            {"quotes are not balanced"},
		"uid,name\n1,a\xff\n":                            {"line 2: character 4 is not UTF-8"},
		"\xff\xfeu\x00i\x00d":                            {"UTF-16"},
		"uid\n":                                          {"a header and no row"},
		"uid,name\n1,a\x00b\n":                           {"line 2: the line has the character U+0000"},
		"uid,name\n1,\"a\nb\"\n":                         {"or a line break"},
		"PK\x03\x04broken":                               {"the workbook cannot be read"},
		"uid,note\n1," + strings.Repeat("x", 501) + "\n": {"the note is longer than 500 characters"},
		"uid,tags\n1," + strings.Repeat("x", 41) + "\n":  {"is longer than 40 characters"},
		"uid,name\n1,a\u202eb\n":                         {"without a visible form"},
	} {
		_, err := ParseFile(t.Context(), []byte(text))
		faults, ok := errors.AsType[tabular.Mistakes](err)
		if !ok || len(faults) != len(want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
			continue
		}
		for i := range want {
			if !strings.Contains(faults[i].String(), want[i]) {
				t.Errorf("%.60q: %s, want %q", text, faults[i], want[i])
			}
		}
	}
	if _, err := ParseFile(t.Context(), bytes.Repeat([]byte("a"), MaxFile+1)); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("a large file: %v", err)
	}
}
