package exchange

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/exchange/transport"
)

// Each code and status has its class and a hint, and a call makes only as many tries as
// its class allows.
func TestErrorClasses(t *testing.T) {
	const all, one, twice = 3, 1, 2 // how many requests of a kind a call makes
	for _, test := range []struct {
		status int
		code   string // JSON; empty: no code
		class  Class
		sent   int // number of commission calls
		says   string
	}{
		{400, `"40001"`, ClassAuth, one, "API_KEY"},
		{400, `"40002"`, ClassAuth, one, "API_SECRET"},
		{400, `"40003"`, ClassAuth, one, "BASE_URL"},
		{400, `"40005"`, ClassClock, twice, "clock"},
		{400, `"40006"`, ClassAuth, one, "API_KEY"},
		{400, `"40007"`, ClassValidation, one, ""},
		{400, `"40008"`, ClassClock, twice, "clock"},
		{400, `"40009"`, ClassAuth, one, "API_SECRET"},
		{400, `"40011"`, ClassAuth, one, "API_PASSPHRASE"},
		{400, `"40012"`, ClassAuth, one, "API_PASSPHRASE"},
		{400, `40012`, ClassAuth, one, "API_PASSPHRASE"},
		{200, `"40012"`, ClassAuth, one, "API_PASSPHRASE"},
		{400, `"40013"`, ClassPermission, one, "blocked"},
		{400, `"40014"`, ClassPermission, one, "permission to read"},
		{400, `"40015"`, ClassUpstream, all, "later"},
		{400, `"40017"`, ClassValidation, one, ""},
		{400, `"40018"`, ClassPermission, one, "address of this machine"},
		{400, `"40019"`, ClassValidation, one, ""},
		{400, `"40020"`, ClassValidation, one, ""},
		{200, `"40020"`, ClassValidation, one, ""},
		{403, `"40022"`, ClassPermission, one, "REBATEDESK_API_VERSION=v3"},
		{200, `"40022"`, ClassPermission, one, "not an affiliate account"},
		{403, `"40014"`, ClassPermission, one, "permission to read"},
		{400, `"40753"`, ClassPermission, one, "blocked"},
		{400, `"40912"`, ClassValidation, one, ""},
		{400, `"40913"`, ClassValidation, one, ""},
		{400, `"40999"`, ClassValidation, one, ""},
		{200, `"40999"`, ClassValidation, one, ""},
		{400, `"50003"`, ClassTrading, one, ""},
		{400, `"50004"`, ClassTrading, one, ""},
		{400, `"50005"`, ClassTrading, one, ""},
		{400, `"50007"`, ClassTrading, one, ""},
		{400, `"50099"`, ClassTrading, one, ""},
		{429, `"429"`, ClassRateLimit, all, "RATE_BUDGET"},
		{429, `"40020"`, ClassRateLimit, all, "RATE_BUDGET"},
		{429, ``, ClassRateLimit, all, "RATE_BUDGET"},
		{200, `429`, ClassRateLimit, all, "RATE_BUDGET"},
		{400, `-1046`, ClassClock, twice, "clock"},
		{400, `-1047`, ClassAuth, one, "API_SECRET"},
		{400, `"-1047"`, ClassAuth, one, "API_SECRET"},
		{400, `-1059`, ClassRateLimit, all, "RATE_BUDGET"},
		{400, `-1142`, ClassValidation, one, ""},
		{400, `-1170`, ClassValidation, one, ""},
		{400, `-1171`, ClassValidation, one, ""},
		{200, `-1999`, ClassValidation, one, ""},
		{200, `"whatever"`, ClassUpstream, all, "later"},
		{400, `"whatever"`, ClassValidation, one, ""},
		{401, ``, ClassAuth, one, "API_SECRET"},
		{403, ``, ClassPermission, one, "REBATEDESK_API_VERSION=v3"},
		{404, ``, ClassMalformed, all, "BASE_URL"},
		{400, ``, ClassMalformed, all, "BASE_URL"},
		{408, ``, ClassUpstream, all, "later"},
		{500, ``, ClassUpstream, all, "later"},
		{503, `"70001"`, ClassUpstream, all, "later"},
		{302, ``, ClassMalformed, one, "BASE_URL"},
	} {
		t.Run(fmt.Sprintf("%d %s", test.status, test.code), func(t *testing.T) {
			body := `{"msg":"the words of the exchange","data":null}`
			if test.code != "" {
				body = `{"code":` + test.code + `,` + body[1:]
			}
			f := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/time") {
					says(200, fmt.Sprintf(`{"data":%d}`, time.Now().UnixMilli()))(w, r)
					return
				}
				says(test.status, body)(w, r)
			})
			_, err := dial(t, f).Commissions(t.Context(), CommissionQuery{})
			failure, ok := errors.AsType[*Error](err)
			if !ok || failure.Class != test.class || !errors.Is(err, test.class) || ClassOf(err) != test.class {
				t.Fatalf("%v, want class %s", err, test.class)
			}
			code := strings.Trim(test.code, `"`)
			if failure.Status != test.status || failure.Code != code {
				t.Errorf("HTTP %d, code %q", failure.Status, failure.Code)
			}
			for _, part := range []string{"affiliate commissions (4.17)", "the words of the exchange", code, test.says, fmt.Sprint(test.status)} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q has more than one line", err)
			}
			sent := 0
			for _, r := range f.seen() {
				if strings.HasSuffix(r.path, "getAffiliateCommission") {
					sent++
				}
			}
			if sent != test.sent {
				t.Errorf("sent %d times, want %d", sent, test.sent)
			}
		})
	}
}

// After version 3 there is no newer version to try. An error of a public endpoint is not
// about affiliates.
func TestForbiddenHint(t *testing.T) {
	f := serve(t, says(403, `{"code":"40022","msg":"no"}`))
	_, err := dial(t, f, func(c *Config) { c.APIVersion = "v3" }).Invitees(t.Context(), InviteeQuery{})
	if err == nil || strings.Contains(err.Error(), "v3") || !strings.Contains(err.Error(), "affiliate account") {
		t.Errorf("on v3: %v", err)
	}
	_, err = dial(t, f).ServerTime(t.Context())
	if err == nil || strings.Contains(err.Error(), "affiliate") {
		t.Errorf("server time: %v", err)
	}
}

func TestClassOfOthers(t *testing.T) {
	for _, err := range []error{nil, context.Canceled, errors.New("x"), ClassAuth} {
		if got := ClassOf(err); got != "" {
			t.Errorf("%v is of class %q", err, got)
		}
	}
	wrapped := fmt.Errorf("page 3: %w", &Error{Class: ClassTransport, Err: context.DeadlineExceeded})
	if ClassOf(wrapped) != ClassTransport || !errors.Is(wrapped, context.DeadlineExceeded) || errors.Is(wrapped, ClassAuth) {
		t.Errorf("%v does not unwrap", wrapped)
	}
	if !strings.Contains(transport.ClassAuth.Error(), "auth") {
		t.Errorf("a class reads %q", transport.ClassAuth.Error())
	}
}

// Texts of the exchange are shortened, made printable and stripped of our credentials.
func TestForeignTextIsSanitized(t *testing.T) {
	msg := `line\none ` + canaryKey.Reveal() + ` ` + canarySecret.Reveal() + ` \u001b[31m` + strings.Repeat("long ", 1000)
	_, err := ask(t, says(400, `{"code":"40006","msg":"`+msg+`"}`))
	if err == nil {
		t.Fatal("no error")
	}
	assertNoCanary(t, err.Error())
	if text := err.Error(); len(text) > 500 || strings.ContainsAny(text, "\n\x1b") || !strings.Contains(text, "[redacted]") {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	_, err = ask(t, says(200, `{"code":"200","list":[{"fee":"`+canarySecret.Reveal()+`"}]}`))
	if ClassOf(err) != ClassMalformed {
		t.Fatal(err)
	}
	assertNoCanary(t, fmt.Sprintf("%v %+v %#v", err, err, err))
}

// If the exchange's clock is days away from ours it is not used, because it would plan
// windows on the wrong days.
func TestImplausibleClock(t *testing.T) {
	for _, away := range []time.Duration{-37 * time.Hour, 37 * time.Hour, 70 * 365 * 24 * time.Hour} {
		f := serve(t, func(w http.ResponseWriter, r *http.Request) {
			says(200, fmt.Sprintf(`{"data":%d}`, time.Now().Add(away).UnixMilli()))(w, r)
		})
		if now, err := dial(t, f).Now(t.Context()); !errors.Is(err, ClassClock) || !strings.Contains(err.Error(), "set the clock of this machine") {
			t.Errorf("%v off gives %v, %v; want class clock", away, now, err)
		}
	}
}

// A credential that an answer repeats is hidden in each of its possible forms, and a long
// unknown value is hidden completely.
func TestRepeatedCredentials(t *testing.T) {
	const passphrase = `canary "pass" phrase / with + signs, longer than forty characters`
	quoted := strconv.Quote(passphrase)
	for _, body := range []string{
		`{"code":"40012","msg":` + quoted + `}`,
		`{"code":"40012","msg":"` + url.QueryEscape(passphrase) + `"}`,
		`{"code":"40012","msg":"` + url.PathEscape(passphrase) + `"}`,
		`{"code":"40012","msg":"` + base64.StdEncoding.EncodeToString([]byte(passphrase)) + `"}`,
		`{"code":"200","data":{"channelCommissionInfoItems":[{"uid":"1","dealTime":"1755687731913","coin":"USDT","commission":"1","fee":` + quoted + `}]}}`,
	} {
		f := serve(t, says(200, body))
		p, err := dial(t, f, func(c *Config) { c.Passphrase, c.Tries = passphrase, 1 }).Commissions(t.Context(), CommissionQuery{})
		if len(p.Quarantined) > 0 {
			err = fmt.Errorf("quarantined: %+v", p.Quarantined)
		}
		if err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Y2FuYXJ5") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
