package weex

import (
	"rebatedesk/exchange"

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
		class  exchange.Class
		sent   int // number of commission calls
		says   string
	}{
		{400, `"40001"`, exchange.ClassAuth, one, "API_KEY"},
		{400, `"40002"`, exchange.ClassAuth, one, "API_SECRET"},
		{400, `"40003"`, exchange.ClassAuth, one, "BASE_URL"},
		{400, `"40005"`, exchange.ClassClock, twice, "clock"},
		{400, `"40006"`, exchange.ClassAuth, one, "API_KEY"},
		{400, `"40007"`, exchange.ClassValidation, one, ""},
		{400, `"40008"`, exchange.ClassClock, twice, "clock"},
		{400, `"40009"`, exchange.ClassAuth, one, "API_SECRET"},
		{400, `"40011"`, exchange.ClassAuth, one, "API_PASSPHRASE"},
		{400, `"40012"`, exchange.ClassAuth, one, "API_PASSPHRASE"},
		{400, `40012`, exchange.ClassAuth, one, "API_PASSPHRASE"},
		{200, `"40012"`, exchange.ClassAuth, one, "API_PASSPHRASE"},
		{400, `"40013"`, exchange.ClassPermission, one, "blocked"},
		{400, `"40014"`, exchange.ClassPermission, one, "permission to read"},
		{400, `"40015"`, exchange.ClassUpstream, all, "later"},
		{400, `"40017"`, exchange.ClassValidation, one, ""},
		{400, `"40018"`, exchange.ClassPermission, one, "address of this machine"},
		{400, `"40019"`, exchange.ClassValidation, one, ""},
		{400, `"40020"`, exchange.ClassValidation, one, ""},
		{200, `"40020"`, exchange.ClassValidation, one, ""},
		{403, `"40022"`, exchange.ClassPermission, one, "REBATEDESK_API_VERSION=v3"},
		{200, `"40022"`, exchange.ClassPermission, one, "not an affiliate account"},
		{403, `"40014"`, exchange.ClassPermission, one, "permission to read"},
		{400, `"40753"`, exchange.ClassPermission, one, "blocked"},
		{400, `"40912"`, exchange.ClassValidation, one, ""},
		{400, `"40913"`, exchange.ClassValidation, one, ""},
		{400, `"40999"`, exchange.ClassValidation, one, ""},
		{200, `"40999"`, exchange.ClassValidation, one, ""},
		{400, `"50003"`, exchange.ClassTrading, one, ""},
		{400, `"50004"`, exchange.ClassTrading, one, ""},
		{400, `"50005"`, exchange.ClassTrading, one, ""},
		{400, `"50007"`, exchange.ClassTrading, one, ""},
		{400, `"50099"`, exchange.ClassTrading, one, ""},
		{429, `"429"`, exchange.ClassRateLimit, all, "RATE_BUDGET"},
		{429, `"40020"`, exchange.ClassRateLimit, all, "RATE_BUDGET"},
		{429, ``, exchange.ClassRateLimit, all, "RATE_BUDGET"},
		{200, `429`, exchange.ClassRateLimit, all, "RATE_BUDGET"},
		{400, `-1046`, exchange.ClassClock, twice, "clock"},
		{400, `-1047`, exchange.ClassAuth, one, "API_SECRET"},
		{400, `"-1047"`, exchange.ClassAuth, one, "API_SECRET"},
		{400, `-1059`, exchange.ClassRateLimit, all, "RATE_BUDGET"},
		{400, `-1142`, exchange.ClassValidation, one, ""},
		{400, `-1170`, exchange.ClassValidation, one, ""},
		{400, `-1171`, exchange.ClassValidation, one, ""},
		{200, `-1999`, exchange.ClassValidation, one, ""},
		{200, `"whatever"`, exchange.ClassUpstream, all, "later"},
		{400, `"whatever"`, exchange.ClassValidation, one, ""},
		{401, ``, exchange.ClassAuth, one, "API_SECRET"},
		{403, ``, exchange.ClassPermission, one, "REBATEDESK_API_VERSION=v3"},
		{404, ``, exchange.ClassMalformed, all, "BASE_URL"},
		{400, ``, exchange.ClassMalformed, all, "BASE_URL"},
		{408, ``, exchange.ClassUpstream, all, "later"},
		{500, ``, exchange.ClassUpstream, all, "later"},
		{503, `"70001"`, exchange.ClassUpstream, all, "later"},
		{302, ``, exchange.ClassMalformed, one, "BASE_URL"},
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
			failure, ok := errors.AsType[*exchange.Error](err)
			if !ok || failure.Class != test.class || !errors.Is(err, test.class) || exchange.ClassOf(err) != test.class {
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
	_, err := dial(t, f, func(c *exchange.Config) { c.APIVersion = "v3" }).Invitees(t.Context(), InviteeQuery{})
	if err == nil || strings.Contains(err.Error(), "v3") || !strings.Contains(err.Error(), "affiliate account") {
		t.Errorf("on v3: %v", err)
	}
	_, err = dial(t, f).ServerTime(t.Context())
	if err == nil || strings.Contains(err.Error(), "affiliate") {
		t.Errorf("server time: %v", err)
	}
}

func TestClassOfOthers(t *testing.T) {
	for _, err := range []error{nil, context.Canceled, errors.New("x"), exchange.ClassAuth} {
		if got := exchange.ClassOf(err); got != "" {
			t.Errorf("%v is of class %q", err, got)
		}
	}
	wrapped := fmt.Errorf("page 3: %w", &exchange.Error{Class: exchange.ClassTransport, Err: context.DeadlineExceeded})
	if exchange.ClassOf(wrapped) != exchange.ClassTransport || !errors.Is(wrapped, context.DeadlineExceeded) || errors.Is(wrapped, exchange.ClassAuth) {
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
	if exchange.ClassOf(err) != exchange.ClassMalformed {
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
		if now, err := dial(t, f).Now(t.Context()); !errors.Is(err, exchange.ClassClock) || !strings.Contains(err.Error(), "set the clock of this machine") {
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
		p, err := dial(t, f, func(c *exchange.Config) { c.Passphrase, c.Tries = passphrase, 1 }).Commissions(t.Context(), CommissionQuery{})
		if len(p.Quarantined) > 0 {
			err = fmt.Errorf("quarantined: %+v", p.Quarantined)
		}
		if err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Y2FuYXJ5") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
