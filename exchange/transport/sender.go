package transport

import (
	"cmp"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Sender sends the calls of one account to the exchange. It is safe for concurrent use, and
// none of its waits outlasts the given context.
type Sender struct {
	cfg      Config
	protocol Protocol
	http     *http.Client // for reading calls
	orders   *http.Client // for calls that must not be sent twice
	clock    clock
	hide     *strings.Replacer // for credentials that an answer repeats
	pace     pace
	bans     bans

	requests, weight, limited atomic.Int64
}

// NewSender checks the configuration and sends nothing. The error names every wrong
// setting, one per line, but never its value.
func NewSender(cfg Config, protocol Protocol) (*Sender, error) {
	cfg.BanWait = cmp.Or(cfg.BanWait, protocol.Ban)
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Sender{cfg: cfg, protocol: protocol, http: newHTTPClient(cfg), orders: newOrderClient(cfg), hide: hideSecrets(cfg), pace: newPace(protocol.Every)}
	c.clock.local = cfg.Now
	return c, nil
}

// Close closes idle connections. The client may still be used.
func (c *Sender) Close() {
	c.http.CloseIdleConnections()
	c.orders.CloseIdleConnections()
}

// turn waits for the call's turn in the budget.
func (c *Sender) turn(ctx context.Context, e Endpoint) turn {
	return turn{weight: e.Weight, user: c.cfg.Account, priority: priorityOf(ctx, e)}
}

// Version returns the configured version of the interface.
func (c *Sender) Version() string { return c.cfg.APIVersion }

// Host returns the host of the exchange, without a port.
func (c *Sender) Host() string {
	u, err := url.Parse(c.cfg.BaseURL)
	if err != nil {
		return "" // checked when the sender was made
	}
	return u.Hostname()
}

// Log returns where the sender logs.
func (c *Sender) Log() *slog.Logger { return c.cfg.Log }

// Usage counts what a client has sent so far, including repeated tries.
type Usage struct {
	Requests    int
	Weight      int // of the request budget
	RateLimited int // answers of HTTP 429 and similar
}

// Usage returns counts of what this client has sent so far.
func (c *Sender) Usage() Usage {
	return Usage{
		Requests:    int(c.requests.Load()),
		Weight:      int(c.weight.Load()),
		RateLimited: int(c.limited.Load()),
	}
}

// pointerForm escapes a name as in a JSON pointer, which decoder errors contain.
var pointerForm = strings.NewReplacer("~", "~0", "/", "~1")

// Hide replaces the credentials of the client in foreign text.
func (c *Sender) Hide(s string) string { return c.hide.Replace(s) }

// hideSecrets replaces credentials in foreign text, in the forms in which an answer may
// repeat them. Very short ones are left, because replacing them would break up ordinary
// words and so reveal them.
func hideSecrets(cfg Config) *strings.Replacer {
	var forms []string
	for _, secret := range []Secret{cfg.Key, cfg.Secret, cfg.Passphrase} {
		s := secret.Reveal()
		if len(s) < 4 {
			continue
		}
		quoted := strconv.Quote(s)
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), quoted[1:len(quoted)-1],
			base64.StdEncoding.EncodeToString([]byte(s)), pointerForm.Replace(s))
	}
	// Longest first, because one may begin like another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...)
}
