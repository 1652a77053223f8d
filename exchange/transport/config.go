package transport

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"rebatedesk/safehttp"
)

// Config configures a [Sender]. Only BaseURL has no default; the credentials are needed for
// signed calls.
type Config struct {
	BaseURL                 string // scheme and host; plain http only to loopback
	ContractBaseURL         string // default: BaseURL
	Key, Secret, Passphrase Secret
	APIVersion              string // "v2" or "v3", for the affiliate endpoints; default "v2"
	Locale                  string // default "en-US"
	UserAgent               string // default "rebatedesk"

	// Account names the user whose calls the exchange counts together. Clients with
	// different keys of one user share the name. By default each key has its own.
	Account string

	Budget *Budget          // shared by the clients of one address; default: a new one
	Log    *slog.Logger     // default: nothing is logged
	Now    func() time.Time // the local clock; default time.Now

	// Entered says that the account was entered on a page: advice names its fields, not settings.
	Entered bool

	// Reach says which hosts may be reached. By default they are those of the public internet, and
	// this machine by plain http.
	Reach safehttp.Reach

	// Dial makes the connections. The default is TCP with a timeout of ten seconds. Tests
	// that simulate time replace it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	RootCAs *x509.CertPool // default: the system's

	Tries   int           // the most times a reading call is sent; default 5
	Backoff time.Duration // first pause between tries, doubling with jitter; default 500 ms
	Unpaced bool          // calls follow each other at once; for tests
	BanWait time.Duration // pause of all calls after HTTP 429, plus a margin; default 10 s
	Timeout time.Duration // of one try, from connecting to the last byte; default 30 s
}

// withDefaults fills in the defaults.
func (c Config) withDefaults() Config {
	c.ContractBaseURL = cmp.Or(c.ContractBaseURL, c.BaseURL)
	c.APIVersion = cmp.Or(c.APIVersion, "v2")
	c.Locale = cmp.Or(c.Locale, "en-US")
	c.UserAgent = cmp.Or(c.UserAgent, "rebatedesk")
	c.Account = cmp.Or(c.Account, fingerprint(c.Key))
	c.Tries = cmp.Or(c.Tries, 5)
	c.Backoff = cmp.Or(c.Backoff, 500*time.Millisecond)
	c.BanWait = cmp.Or(c.BanWait, window)
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	if c.Budget == nil {
		c.Budget = NewBudget(DefaultBudget)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Dial == nil {
		c.Dial = c.dial()
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	c.ContractBaseURL = strings.TrimSuffix(c.ContractBaseURL, "/")
	return c
}

// check returns one error for each invalid setting.
func (c Config) check() error {
	errs := []error{
		c.checkBase("BASE_URL", c.BaseURL),
		checkHeader("API_KEY", c.Key.Reveal()),
		checkHeader("API_PASSPHRASE", c.Passphrase.Reveal()),
		checkHeader("API_SECRET", c.Secret.Reveal()),
		checkHeader("LOCALE", c.Locale),
		checkHeader("user agent", c.UserAgent),
	}
	if c.ContractBaseURL != c.BaseURL {
		errs = append(errs, c.checkBase("CONTRACT_BASE_URL", c.ContractBaseURL))
	}
	if c.APIVersion != "v2" && c.APIVersion != "v3" {
		errs = append(errs, fmt.Errorf("API_VERSION: %.40q is neither v2 nor v3", c.APIVersion))
	}
	if c.Tries < 0 || c.Backoff < 0 || c.BanWait < 0 || c.Timeout < 0 {
		errs = append(errs, errors.New("tries, pauses and timeouts cannot be negative"))
	}
	return errors.Join(errs...)
}

// checkBase accepts a scheme and a host. A path is refused because the
// signature covers the path that the exchange sees.
func (c Config) checkBase(setting, base string) error {
	if base == "" {
		return fmt.Errorf("%s: is not set; give the exchange's address, like https://api.example.com", setting)
	}
	// The errors do not repeat the address, because it may hold a password.
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%s: is not an address like https://api.example.com", setting)
	case u.User != nil:
		return fmt.Errorf("%s: must not contain a user name or password", setting)
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%s: must end after the host, without a path", setting)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return fmt.Errorf("%s: plain http goes to this machine only (127.0.0.1, localhost); use https", setting)
	}
	if err := c.Reach.CheckBase(base); err != nil {
		return fmt.Errorf("%s: %w", setting, err)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkHeader rejects values that are invalid in a header, without repeating them. The
// usual cause is the line break at the end of a file.
func checkHeader(setting, value string) error {
	for i := range len(value) {
		if value[i] < ' ' || value[i] == 0x7f {
			return fmt.Errorf("%s: contains a line break or another character that cannot be sent", setting)
		}
	}
	return nil
}
