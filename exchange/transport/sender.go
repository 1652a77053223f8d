package transport

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Sender sends the calls of one account to the exchange. It may be used by many goroutines
// at once; nothing it waits for outlasts the context it is given.
type Sender struct {
	cfg    Config
	http   *http.Client // for reading calls
	orders *http.Client // for what must not be sent twice
	clock  clock
	hide   *strings.Replacer // of credentials that an answer repeats

	requests, weight, limited atomic.Int64
}

// NewSender checks the configuration; it sends nothing. The error names every
// setting that is wrong, one per line, and never its value.
func NewSender(cfg Config) (*Sender, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Sender{cfg: cfg, http: newHTTPClient(cfg), orders: newOrderClient(cfg), hide: hideSecrets(cfg)}
	c.clock.local = cfg.Now
	return c, nil
}

// Close lets go of idle connections. The client may still be used.
func (c *Sender) Close() {
	c.http.CloseIdleConnections()
	c.orders.CloseIdleConnections()
}

// turn is what a call needs of the budget.
func (c *Sender) turn(ctx context.Context, e Endpoint) turn {
	return turn{weight: e.Weight, user: c.cfg.Account, priority: priorityOf(ctx, e)}
}

// Version is the version of the interface in the settings.
func (c *Sender) Version() string { return c.cfg.APIVersion }

// Usage counts what a client has sent so far, repeated tries included.
type Usage struct {
	Requests    int
	Weight      int // of the request budget
	RateLimited int // answers of HTTP 429 and their like
}

// Usage is what this client has sent so far.
func (c *Sender) Usage() Usage {
	return Usage{
		Requests:    int(c.requests.Load()),
		Weight:      int(c.weight.Load()),
		RateLimited: int(c.limited.Load()),
	}
}

// pointerForm escapes a name as in a JSON pointer, which errors of decoders contain.
var pointerForm = strings.NewReplacer("~", "~0", "/", "~1")

// hideSecrets replaces credentials in foreign text, in the forms in which an answer
// may repeat them. Very short ones are left: replacing them would break up ordinary
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
	// The longest first: one may begin like another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...)
}
