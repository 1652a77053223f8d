package site

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Visitor is a browser without a screen. It keeps its cookies and sends the form token of
// the last page.
type Visitor struct {
	testing.TB
	Address string
	Cookies map[string]string
	headers []string // sent with every request
	Token   string   // form token of the last page
}

func Visit(t testing.TB, address string, headers ...string) *Visitor {
	return &Visitor{TB: t, Address: address, Cookies: map[string]string{}, headers: headers}
}

func (v *Visitor) Get(path string, headers ...string) Answer {
	v.Helper()
	return v.Send(http.MethodGet, path, "", headers...)
}

// Post sends a form with the token of the last page that had one.
func (v *Visitor) Post(path string, fields ...string) Answer {
	v.Helper()
	return v.PostWith(nil, path, fields...)
}

func (v *Visitor) PostWith(headers []string, path string, fields ...string) Answer {
	v.Helper()
	form := url.Values{}
	if v.Token != "" {
		form.Set("token", v.Token)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.Send(http.MethodPost, path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func (v *Visitor) Send(method, path, body string, headers ...string) Answer {
	v.Helper()
	request, err := http.NewRequest(method, v.Address+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	headers = append(append([]string{"Cookie", v.Cookie()}, v.headers...), headers...)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	a := received(v, request)
	for _, c := range a.Cookies() {
		if v.Cookies[c.Name] = c.Value; c.Value == "" || c.MaxAge < 0 {
			delete(v.Cookies, c.Name)
		}
	}
	if found := TokenField.FindStringSubmatch(a.Body); found != nil {
		v.Token = found[1]
	}
	return a
}

func (v *Visitor) Cookie() string {
	var pairs []string
	for name, value := range v.Cookies {
		pairs = append(pairs, name+"="+value)
	}
	return strings.Join(pairs, "; ")
}

// AtOnce sends the same form from several windows of the browser at the same time. One of them is
// redirected, and its answer is returned; all others get the status of a refusal.
func (v *Visitor) AtOnce(windows, refusal int, path string, fields ...string) (done Answer) {
	v.Helper()
	refused := 0
	answers := make(chan Answer, windows)
	var work sync.WaitGroup
	for range windows {
		window := *v
		window.Cookies = maps.Clone(v.Cookies)
		work.Go(func() { answers <- window.Post(path, fields...) })
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
			v.Errorf("%s: status %d: %s", path, a.StatusCode, Words(a.Body))
		}
	}
	if done.Response == nil || refused != windows-1 {
		v.Fatalf("%s from %d windows: %d were refused", path, windows, refused)
	}
	return done
}

// SignIn opens the sign-in page and sends the requested fields.
func (v *Visitor) SignIn(user, password string) Answer {
	v.Helper()
	v.Get("/login")
	return v.Post("/login", "username", user, "password", password)
}

// In reports whether the visitor is signed in.
func (v *Visitor) In() bool {
	v.Helper()
	return v.Get("/collection").StatusCode == http.StatusOK
}

// Secret returns the secret of the visitor's session.
func (v *Visitor) Secret() string { return v.Cookies["session"] }
