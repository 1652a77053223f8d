package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/cmd/webapp/internal/listen"
)

// listening checks that the addresses of the settings fit together.
func (d *Doctor) listening(context.Context) []Result {
	const check = "web address"
	cfg, ok := d.parts.config(config.NeedWeb)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	cfg.Insecure = d.insecure
	if err := listen.Allowed(cfg); err != nil {
		return []Result{failed(check, err.Error(), "")}
	}
	https := strings.HasPrefix(cfg.PublicURL, "https://")
	switch {
	case cfg.PublicURL == "":
		return []Result{passed(check, "http://%s, for this machine only", cfg.Listen)}
	case https && cfg.TLS.Mode == config.TLSOff && len(cfg.TrustedProxies) == 0:
		return []Result{failed(check, cfg.PublicURL+" needs a proxy in front, and TRUSTED_PROXIES names none",
			"set it to the proxy's address, such as 127.0.0.1: wrong passwords are counted by where they come from, and now all come from the proxy")}
	case https && cfg.TLS.Mode == config.TLSOff:
		return []Result{passed(check, "%s by a proxy, which finds the pages at http://%s", cfg.PublicURL, cfg.Listen)}
	}
	return []Result{passed(check, "%s, listening on %s", cfg.PublicURL, cfg.Listen)}
}

// renewWithin is the remaining validity at which a certificate should be replaced.
const renewWithin = 14 * config.OneDay

// certificate checks the certificate of the web server.
func (d *Doctor) certificate(context.Context) []Result {
	const check = "certificate"
	cfg, ok := d.parts.config(config.NeedWeb)
	switch {
	case !ok:
		return []Result{skipped(check, notUsable)}
	case cfg.TLS.Mode == config.TLSAuto:
		return []Result{skipped(check, "is fetched at the first visit; port 443 of "+config.HostOf(cfg.PublicURL)+" has to lead to "+cfg.Listen)}
	case cfg.TLS.Mode != config.TLSFiles:
		return []Result{skipped(check, "TLS is off")}
	}
	pair, err := tls.LoadX509KeyPair(cfg.TLS.Cert, cfg.TLS.Key)
	if err != nil {
		return []Result{failed(check, err.Error(), "name a certificate with its chain and the key that belongs to it in TLS_CERT and TLS_KEY")}
	}
	if f, wrong := certificateFault(check, cfg, pair.Leaf); wrong {
		return []Result{f}
	}
	return []Result{passed(check, "for %s until %s", config.HostOf(cfg.PublicURL), pair.Leaf.NotAfter.UTC().Format(time.DateOnly))}
}

func certificateFault(check string, cfg config.Config, leaf *x509.Certificate) (Result, bool) {
	if info, err := os.Stat(cfg.TLS.Key); err == nil && info.Mode().Perm()&files.ByOthers != 0 {
		return failed(check, fmt.Sprintf("everybody on this machine can read %s", cfg.TLS.Key), "chmod o= "+cfg.TLS.Key), true
	}
	if err := leaf.VerifyHostname(config.HostOf(cfg.PublicURL)); err != nil {
		return failed(check, err.Error(), "use a certificate for the host of PUBLIC_URL"), true
	}
	now := time.Now()
	switch ends := leaf.NotAfter.UTC().Format(time.DateOnly); {
	case now.Before(leaf.NotBefore):
		return failed(check, "is not valid yet", "set the clock of this machine, or wait"), true
	case now.After(leaf.NotAfter):
		return failed(check, "ended on "+ends, "renew it; the server reads the files again by itself"), true
	case now.Add(renewWithin).After(leaf.NotAfter):
		return failed(check, "ends on "+ends, "renew it; the server reads the files again by itself"), true
	}
	return Result{}, false
}
