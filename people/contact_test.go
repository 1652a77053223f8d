package people

import (
	"fmt"
	"strings"
	"testing"
)

// A contact is stored in one form, and what is none is refused with a remedy.
func TestContacts(t *testing.T) {
	for _, c := range []struct {
		field      PersonField
		text, want string // an empty want: refused
	}{
		{FieldPhone, " +49 (151) 234-56\u00a078 ", "+4915123456" + "78"},
		{FieldPhone, "0049151234", "0049151234"},
		{FieldPhone, "+49151234567890123", ""},
		{FieldPhone, "1234", ""},
		{FieldPhone, "4915112345.0", ""},
		{FieldPhone, "+49151+23456", ""},
		{FieldPhone, "javascript:alert(1)", ""},
		{FieldPhone, "+49151234567;ext=1", ""},
		{FieldPhone, "+1٢٣٤٥٦٧", ""},
		{FieldEmail, "ann+vip@example.com", "ann+vip@example.com"},
		{FieldEmail, "o'hara?subject=x@example.com", "o'hara?subject=x@example.com"},
		{FieldEmail, "Ann <ann@example.com>", ""},
		{FieldEmail, "ann@example.com, bob@example.com", ""},
		{FieldEmail, `"a b"@example.com`, ""},
		{FieldEmail, "ann@[127.0.0.1]", ""},
		{FieldEmail, "ann@example.com\nBcc: x@example.com", ""},
		{FieldEmail, "ann", ""},
		{FieldEmail, strings.Repeat("a", 250) + "@example.com", ""},
		{FieldTelegram, "@Ann_1", "Ann_1"},
		{FieldTelegram, "https://t.me/Ann_1", "Ann_1"},
		{FieldTelegram, "T.me/@Ann_1", "Ann_1"},
		{FieldTelegram, "ann", ""},
		{FieldTelegram, "ann/../evil", ""},
		{FieldTelegram, "https://evil.example/ann_x", ""},
		{FieldTelegram, strings.Repeat("a", 33), ""},
	} {
		got, err := CheckValue(c.field, c.text)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %q is %q, %v; want %q", c.field, c.text, got, err, c.want)
		}
		if again, err := CheckValue(c.field, got); again != got || err != nil {
			t.Errorf("%s %q is %q the second time, %v", c.field, got, again, err)
		}
	}
	links := Contact{Phone: "+49151", Email: "a?cc=b&x%41@example.com", Telegram: "Ann_1"}.Links()
	want := "[{phone +49151 tel:+49151} {telegram @Ann_1 https://t.me/Ann_1} {email a?cc=b&x%41@example.com mailto:a%3Fcc=b&x%2541@example.com}]"
	if got := fmt.Sprint(links); got != want {
		t.Errorf("the links are %s, want %s", got, want)
	}
	if links := (Contact{}).Links(); links != nil {
		t.Errorf("nobody is reached by %v", links)
	}
}
