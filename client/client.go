// Package client asks a Rebatedesk server: reports, lists and forecasts, by an API token. Its
// types and methods are generated from the server's own description, openapi.json.
//
// Amounts are exact decimals; an unknown value is nil or not Valid, and never zero. Times are
// UTC, days those of the server's reporting zone.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"rebatedesk/safehttp"
)

// mostBody is more than any answer has that fits into memory.
const mostBody = 1 << 30

// Client asks one server. Its methods may be called at the same time. Create it with [New].
type Client struct {
	base  *url.URL
	token string
	http  *http.Client

	mutex sync.Mutex
	kept  map[string]keptAnswer
	most  int
	order []string // of kept, the oldest first
}

// keptAnswer is an answer that is asked for again by its ETag.
type keptAnswer struct {
	tag  string
	body []byte
}

// New returns a client of the server at an address, such as https://desk.example.com, with an
// API token. Use httpClient for timeouts and proxies; nil is a client that gives up after two
// minutes.
func New(address, token string, httpClient *http.Client) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("%q is no address of a server, such as https://desk.example.com", address)
	}
	if httpClient == nil {
		httpClient = &http.Client{Timeout: 2 * time.Minute}
	}
	return &Client{base: base, token: token, http: httpClient, kept: map[string]keptAnswer{}}, nil
}

// Keep makes the client keep the last answers, as many as given, and ask for them by their
// ETag: an answer that has not changed is not sent again. It is called before the first
// request.
func (c *Client) Keep(answers int) { c.most = answers }

// Error makes a problem an error.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Title, p.Detail) }

// Name returns the name of the kind of problem, such as parameter or not-known-yet.
func (p *Problem) Name() string {
	_, name, _ := strings.Cut(p.Type, "#problem-")
	return name
}

// Pause returns how long to wait before another try, or false if none is worthwhile.
func (p *Problem) Pause() (time.Duration, bool) {
	return time.Duration(p.RetryAfter) * time.Second, p.RetryAfter > 0
}

// ask reads the JSON at a path. A problem that the server reports is a [*Problem].
func (c *Client) ask(ctx context.Context, path string, values url.Values, into any) error {
	at := c.base.JoinPath(path)
	at.RawQuery = values.Encode()
	return c.askAt(ctx, at.String(), into)
}

func (c *Client) askAt(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("asking %s: %w", address, err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", "application/json, application/problem+json")
	before, known := c.keptFor(address)
	if known {
		request.Header.Set("If-None-Match", before.tag)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("asking the server: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostBody))
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	switch {
	case answer.StatusCode == http.StatusNotModified && known:
		body = before.body
	case answer.StatusCode == http.StatusOK:
		c.keep(address, answer.Header.Get("ETag"), body)
	default:
		return problemOf(answer, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return nil
}

// problemOf returns the problem that an answer reports. A server in between may answer with
// something else.
func problemOf(answer *http.Response, body []byte) error {
	problem := &Problem{}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") {
		if err := json.Unmarshal(body, problem); err == nil {
			return problem
		}
	}
	problem.Status, problem.Title, problem.Detail = int64(answer.StatusCode), http.StatusText(answer.StatusCode), "The answer is not that of a Rebatedesk server."
	problem.RetryAfter = int64(math.Ceil(safehttp.PauseAsked(answer.Header, time.Now()).Seconds()))
	return problem
}

func (c *Client) keptFor(address string) (keptAnswer, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kept, ok := c.kept[address]
	return kept, ok
}

func (c *Client) keep(address, tag string, body []byte) {
	if c.most == 0 || tag == "" {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, known := c.kept[address]; !known {
		c.order = append(c.order, address)
	}
	c.kept[address] = keptAnswer{tag, body}
	for len(c.order) > c.most {
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
}

// part is a part of a list.
type part[R any] struct {
	Rows []R     `json:"rows"`
	Next *string `json:"next"`
}

// usualPart is how many rows are read at a time unless another limit is given.
const usualPart = "5000"

// each yields the rows of a list, read in parts of one state. It ends with the first error.
func each[R any](ctx context.Context, c *Client, path string, values url.Values) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		if !values.Has("limit") {
			values.Set("limit", usualPart)
		}
		at := c.base.JoinPath(path)
		at.RawQuery = values.Encode()
		for {
			var list part[R]
			if err := c.askPatiently(ctx, at.String(), &list); err != nil {
				yield(none, err)
				return
			}
			for _, row := range list.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if list.Next == nil {
				return
			}
			next, err := c.base.Parse(*list.Next)
			if err != nil || next.Host != c.base.Host || next.Scheme != c.base.Scheme {
				yield(none, fmt.Errorf("the next part is at %q, which is not the same server", *list.Next))
				return
			}
			at = next
		}
	}
}

// mostTries is how often a part is asked for if the server asks for patience.
const mostTries = 5

// askPatiently waits as long as the server asks for.
func (c *Client) askPatiently(ctx context.Context, address string, into any) error {
	for try := 1; ; try++ {
		err := c.askAt(ctx, address, into)
		problem, ok := errors.AsType[*Problem](err)
		if !ok || try == mostTries {
			return err
		}
		wait, ok := problem.Pause()
		if !ok {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// values collects parameters; those that are empty are left out.
type values struct{ url.Values }

func (v values) text(name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func (v values) list(name string, list []string) {
	if len(list) > 0 {
		v.Set(name, strings.Join(list, ","))
	}
}

func (v values) number(name string, n int) {
	if n != 0 {
		v.Set(name, strconv.Itoa(n))
	}
}
