package acceptance_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// visitor is a browser without a screen. It keeps its cookies and sends the form token of
// the last page.
type visitor struct {
	testing.TB
	address string
	cookies map[string]string
	headers []string // sent with every request
	token   string   // form token of the last page
}

func visit(t testing.TB, address string, headers ...string) *visitor {
	return &visitor{TB: t, address: address, cookies: map[string]string{}, headers: headers}
}

func (v *visitor) get(path string, headers ...string) answer {
	v.Helper()
	return v.send(http.MethodGet, path, "", headers...)
}

// post sends a form with the token of the last page that had one.
func (v *visitor) post(path string, fields ...string) answer {
	v.Helper()
	return v.postWith(nil, path, fields...)
}

func (v *visitor) postWith(headers []string, path string, fields ...string) answer {
	v.Helper()
	form := url.Values{}
	if v.token != "" {
		form.Set("token", v.token)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.send(http.MethodPost, path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func (v *visitor) send(method, path, body string, headers ...string) answer {
	v.Helper()
	request, err := http.NewRequest(method, v.address+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	headers = append(append([]string{"Cookie", v.cookie()}, v.headers...), headers...)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	a := received(v, request)
	for _, c := range a.Cookies() {
		if v.cookies[c.Name] = c.Value; c.Value == "" || c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	if found := tokenField.FindStringSubmatch(a.body); found != nil {
		v.token = found[1]
	}
	return a
}

func (v *visitor) cookie() string {
	var pairs []string
	for name, value := range v.cookies {
		pairs = append(pairs, name+"="+value)
	}
	return strings.Join(pairs, "; ")
}

// atOnce sends the same form from several windows of the browser at the same time. One of them is
// redirected, and its answer is returned; all others get the status of a refusal.
func (v *visitor) atOnce(windows, refusal int, path string, fields ...string) (done answer) {
	v.Helper()
	refused := 0
	answers := make(chan answer, windows)
	var work sync.WaitGroup
	for range windows {
		window := *v
		window.cookies = maps.Clone(v.cookies)
		work.Go(func() { answers <- window.post(path, fields...) })
	}
	work.Wait()
	close(answers)
	for a := range answers {
		switch a.StatusCode {
		case http.StatusSeeOther:
			done = a
		case refusal:
			refused++
		default:
			v.Errorf("%s: status %d: %s", path, a.StatusCode, words(a.body))
		}
	}
	if done.Response == nil || refused != windows-1 {
		v.Fatalf("%s from %d windows: %d were refused", path, windows, refused)
	}
	return done
}

// signIn opens the sign-in page and sends the requested fields.
func (v *visitor) signIn(user, password string) answer {
	v.Helper()
	v.get("/login")
	return v.post("/login", "username", user, "password", password)
}

// in reports whether the visitor is signed in.
func (v *visitor) in() bool {
	v.Helper()
	return v.get("/collection").StatusCode == http.StatusOK
}

// secret returns the secret of the visitor's session.
func (v *visitor) secret() string { return v.cookies["session"] }
