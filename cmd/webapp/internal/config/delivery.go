package config

import (
	"path/filepath"
	"strings"

	"rebatedesk/delivery/carrier"
	"rebatedesk/exchange"
	"rebatedesk/safehttp"
)

// Delivery configures the destinations of scheduled deliveries.
type Delivery struct {
	Folders     []string // below which folders are; empty: anywhere
	S3Endpoint  string   // scheme and host
	S3Region    string
	S3AccessKey exchange.Secret
	S3SecretKey exchange.Secret
	S3AllowHTTP bool // the endpoint may be http beyond this machine

	SFTPPassword      exchange.Secret
	SFTPKey           exchange.Secret // PEM
	SFTPKeyPassphrase exchange.Secret
	SFTPKnownHosts    string // path
}

// Carriers returns the settings for package carrier.
func (c Config) Carriers() carrier.Settings {
	s := c.Delivery
	return carrier.Settings{Folders: s.Folders, S3Endpoint: s.S3Endpoint, S3Region: s.S3Region, S3AccessKey: s.S3AccessKey.Reveal(), S3SecretKey: s.S3SecretKey.Reveal(),
		SFTPPassword: s.SFTPPassword.Reveal(), SFTPKey: s.SFTPKey.Reveal(), SFTPKeyPassphrase: s.SFTPKeyPassphrase.Reveal(), SFTPKnownHosts: s.SFTPKnownHosts, Hosts: c.Reach.Hosts}
}

// checkDelivery reports settings of destinations that contradict each other.
func (r *reader) checkDelivery(s Delivery) {
	place := func(name string) string { return r.place(name) }
	if strings.HasPrefix(s.S3Endpoint, "http://") && !s.S3AllowHTTP && !r.faulty("S3_ENDPOINT") {
		if u, ok := parseOrigin(s.S3Endpoint); ok && !loopback(u.Hostname()) {
			r.fault("S3_ENDPOINT", place("S3_ENDPOINT"), ValueProblem{Echo(s.S3Endpoint) + "would send files unencrypted", "use https, http to this machine, or set S3_ALLOW_HTTP=on for a network that you trust"})
		}
	}
	if (s.S3AccessKey == "") != (s.S3SecretKey == "") && !r.faulty("S3_ACCESS_KEY") && !r.faulty("S3_SECRET_KEY") {
		r.require("S3_ACCESS_KEY")
		r.require("S3_SECRET_KEY")
	}
	if s.SFTPKey != "" {
		if err := carrier.CheckKey(s.SFTPKey.Reveal(), s.SFTPKeyPassphrase.Reveal()); err != nil {
			r.fault("SFTP_KEY", place("SFTP_KEY"), ValueProblem{"cannot be used", err.Error()})
		}
	}
}

func parseS3Endpoint(text string) (string, *ValueProblem) {
	u, ok := parseOrigin(text)
	if !ok {
		return "", &ValueProblem{"is not the bare address of a storage", "give it as https://host or https://host:port"}
	}
	return u.Scheme + "://" + u.Host, nil
}

func parseRegion(text string) (string, *ValueProblem) {
	if name, p := ParseAccountName(text); p == nil {
		return string(name), nil
	}
	return "", &ValueProblem{"is not the name of a region", "give one such as eu-central-1"}
}

func parseFolders(text string) ([]string, *ValueProblem) {
	folders := strings.Split(text, ",")
	for i, folder := range folders {
		if folders[i] = filepath.Clean(strings.TrimSpace(folder)); !filepath.IsAbs(folders[i]) {
			return nil, &ValueProblem{"is not a list of folders", "give whole paths such as /var/exports, separated by commas"}
		}
	}
	return folders, nil
}

// parseHosts parses the hosts that users may enter.
func parseHosts(text string) (safehttp.HostList, *ValueProblem) {
	hosts, err := safehttp.ParseHosts(text)
	if err != nil {
		return hosts, &ValueProblem{"is not a list of hosts: it " + err.Error(), "give hosts such as hooks.slack.com or *.example.com, separated by commas, or nothing to allow all"}
	}
	return hosts, nil
}

func parseKeyText(text string) (exchange.Secret, *ValueProblem) { return exchange.Secret(text), nil }
