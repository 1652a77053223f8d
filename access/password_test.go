package access

import (
	"strings"
	"testing"
)

func TestCommonPasswords(t *testing.T) {
	for _, password := range []string{
		"password1234", "Password123!", "P4ssw0rd2026!", "passwordpassword", "123456789012", "qwertyuiop12", "1q2w3e4r5t6y7u",
		"aaaaaaaaaaaa", "iloveyou2026", "letmein12345", "Administrator", "administrator1", "abcdefghijklm", "bitcoin2026!!",
		"zyxwvutsrqponm", "LiverpoolLiverpool", "qazwsxedcrfv", "Welcome2026!", "dragonmonkey1", "000000000000", "!!!!!!!!!!!!",
	} {
		if !common(password) {
			t.Errorf("%q is not seen as common", password)
		}
	}
	for _, password := range []string{
		rightPassword, otherPassword, "correct horse battery staple", "gravel-otter", "k7#Vq9z!Lm2x", "my-long-enough-secret-1", "Ångström with cream",
		"482916305571 is mine", "パスワードは長いほうがいい",
	} {
		if common(password) {
			t.Errorf("%q is seen as common", password)
		}
	}
	for word := range commonWords {
		if word != plain(word) {
			t.Errorf("%q in the list is never found", word)
		}
	}
}

// The words of a refusal do not repeat the password.
func TestPasswordRules(t *testing.T) {
	for _, c := range []struct {
		password string
		user     string
		role     Role
		taken    bool
	}{
		{"gravel-ott\u00e9", "ann", Viewer, false},
		{"gravel-otter", "ann", Viewer, true},
		{"gravel-otter", "ann", Manager, true},
		{"gravel-otter", "ann", Admin, false},
		{"gravel-otter", "ann", Trader, false},
		{"gravel-otter-57", "ann", Trader, true},
		{"gravel-o\u0308tter", "ann", Viewer, true}, // twelve, though thirteen are typed
		{"gravel-\u00f6tte", "ann", Viewer, false},
		{"gravel-OTTER-57", "otter", Viewer, false},
		{"gravel-otter-57", "ot", Viewer, true},
		{"gravel-otter-\x0757", "ann", Viewer, false},
		{"gravel-otter-\xff57", "ann", Viewer, false},
		{strings.Repeat("gravel-otter ", 9) + "long-tailed", "ann", Viewer, true},
		{strings.Repeat("gravel-otter ", 10), "ann", Viewer, false},
		{"Password2026!", "ann", Viewer, false},
	} {
		err := checkPassword(c.password, c.user, c.role)
		if (err == nil) != c.taken {
			t.Errorf("%q of the %s %s: %v", c.password, c.role, c.user, err)
		}
		if err != nil && strings.Contains(err.Error(), c.password) {
			t.Errorf("the refusal repeats the password: %v", err)
		}
	}
}

func TestRoles(t *testing.T) {
	for role, want := range map[Role]string{
		Viewer: "read", Manager: "read export bills edit", Admin: "read export bills edit administer console", Trader: "read export bills edit console trade", "": "", "root": "",
	} {
		var got []string
		for _, p := range []Permission{MayRead, MayExport, MayReadBills, MayEdit, MayAdminister, MayConsole, MayTrade} {
			whole, half := Principal{Role: role, State: Full}, Principal{Role: role, State: NeedsCode}
			if whole.May(p) {
				got = append(got, string(p))
			}
			if half.May(p) || (Principal{Role: role, State: Full, TokenID: 1}).May(p) {
				t.Errorf("a half %s, or a token without scopes, may %s", role, p)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s may %v, want %s", role, got, want)
		}
	}
	if (Principal{}).May(MayRead) {
		t.Error("a caller without a role may read")
	}
	if got := RolesWith(MayTrade); len(got) != 1 || got[0] != Trader {
		t.Errorf("orders are of %v", got)
	}
}
