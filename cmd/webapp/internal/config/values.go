package config

import (
	"encoding/base64"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
	"rebatedesk/pdf"
	"rebatedesk/reports/payments"
	"rebatedesk/store"
)

// Parsers of single values. Each returns the meaning of one setting, or the problem and how
// to correct it.

func parseTimezone(text string) (*time.Location, *ValueProblem) {
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return nil, &ValueProblem{"is not the name of a time zone", "give an IANA name, such as UTC or Europe/Berlin"}
	}
	return zone, nil
}

// OneOf accepts one of a closed set of words.
func OneOf(words ...string) func(string) (string, *ValueProblem) {
	return func(text string) (string, *ValueProblem) {
		if !slices.Contains(words, text) {
			return "", &ValueProblem{"is not one of " + strings.Join(words, ", "), "choose one of them"}
		}
		return text, nil
	}
}

// anyText accepts everything.
func anyText(text string) (string, *ValueProblem) { return text, nil }

// parseSecondFactor reads who needs a code.
func parseSecondFactor(text string) (access.SecondFactor, *ValueProblem) {
	word, p := OneOf(string(access.OfAdmins), string(access.OfAll))(text)
	return access.SecondFactor(word), p
}

// parseSwitch reads on and off.
func parseSwitch(text string) (bool, *ValueProblem) {
	word, p := OneOf("off", "on")(text)
	return word == "on", p
}

// ParseExchange accepts an exchange that the desk can read.
func ParseExchange(text string) (string, *ValueProblem) {
	return OneOf(append(known.Names(), known.File)...)(text)
}

// ParseAPIVersion accepts a version of the affiliate endpoints.
func ParseAPIVersion(text string) (string, *ValueProblem) { return OneOf("v2", "v3")(text) }

var accountNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// ParseAccountName accepts what is safe in a URL path and in a file name.
func ParseAccountName(text string) (affiliate.Account, *ValueProblem) {
	if !accountNames.MatchString(text) {
		return "", &ValueProblem{"is not a usable name", "use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first"}
	}
	return affiliate.Account(text), nil
}

func parseNode(text string) (string, *ValueProblem) {
	name, problem := ParseAccountName(text)
	return string(name), problem
}

var localeTag = regexp.MustCompile(`^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,3}$`)

func ParseLocale(text string) (string, *ValueProblem) {
	if !localeTag.MatchString(text) {
		return "", &ValueProblem{"is not a language tag", "give one such as en-US"}
	}
	return text, nil
}

func parsePositive(text string) (int, *ValueProblem) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, &ValueProblem{"is not a positive whole number", "give one such as 400"}
	}
	return n, nil
}

// maxReportCache is far above any real need and catches sizes in bytes or KiB.
const maxReportCache = 64 << 10 // MiB

// parseReportCache parses a number of MiB.
func parseReportCache(text string) (uint64, *ValueProblem) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n < 1 || n > maxReportCache {
		return 0, &ValueProblem{fmt.Sprintf("is not a number of MiB from 1 to %d", maxReportCache), "give one such as 64"}
	}
	return n << 20, nil
}

// parsePayoutRule parses a rule of payouts and returns its canonical text.
func parsePayoutRule(text string) (string, *ValueProblem) {
	rule, err := payments.ParseRuleSetting(text)
	if err != nil {
		return "", &ValueProblem{"is not a payout rule: " + err.Error(), "give auto, or a rule such as day+8h apart direct=rr_agent_reward sub=rake_back_reward"}
	}
	return rule, nil
}

// parseTolerance parses amounts by coin.
func parseTolerance(text string) (map[affiliate.Coin]affiliate.Number, *ValueProblem) {
	amounts, err := payments.ParseTolerance(text)
	if err != nil {
		return nil, &ValueProblem{"is no list of amounts by coin: " + err.Error(), "give one such as USDT=0.01,BTC=0.00000001"}
	}
	return amounts, nil
}

// maxInactivity is far above any limit of an exchange.
const maxInactivity = 3650 // days

// parseInactivityLimit parses a number of days.
func parseInactivityLimit(text string) (int, *ValueProblem) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxInactivity {
		return 0, &ValueProblem{fmt.Sprintf("is not a number of days from 1 to %d", maxInactivity), "give one such as 30, or nothing if the exchange never ends a tie"}
	}
	return n, nil
}

// The longest letterhead that leaves room for a statement.
const (
	maxStatementName  = 120
	maxStatementLines = 8
)

// parseStatementName parses a name of one line.
func parseStatementName(text string) (string, *ValueProblem) {
	name, err := store.CheckLabel("it", text, maxStatementName)
	if err != nil {
		return "", &ValueProblem{"is no name: " + err.Error(), "give one such as Example Ltd."}
	}
	return name, nil
}

// parseStatementAddress parses lines that are separated by semicolons or line breaks.
func parseStatementAddress(text string) (lines []string, problem *ValueProblem) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\n", ";"), ";") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		line, err := store.CheckLabel("a line", line, maxStatementName)
		if err != nil {
			return nil, &ValueProblem{"is no address: " + err.Error(), "give lines such as Street 1; 12345 Town"}
		}
		lines = append(lines, line)
	}
	if len(lines) > maxStatementLines {
		return nil, &ValueProblem{fmt.Sprintf("has more than %d lines", maxStatementLines), "give lines such as Street 1; 12345 Town"}
	}
	return lines, nil
}

// parseStatementLogo reads the file of a logo.
func parseStatementLogo(text string) (pdf.Logo, *ValueProblem) {
	logo, err := pdf.ReadLogo(text)
	if err != nil {
		return logo, &ValueProblem{"is no logo: " + err.Error(), "give the path of a PNG or JPEG file that this process may read"}
	}
	return logo, nil
}

// parseCap parses an amount above zero, exactly.
func parseCap(text string) (affiliate.Number, *ValueProblem) {
	n, err := affiliate.ParseNumber(text)
	if err != nil || !n.Decimal().IsPositive() {
		return "", &ValueProblem{"is not an amount above zero", "give a plain decimal such as 250.5, or leave it empty for no cap"}
	}
	return n, nil
}

const (
	OneDay          = 24 * time.Hour
	maxHistory      = 3650 // days; the exchange keeps far less
	minCollectEvery = 10 * time.Second
)

// parseDuration parses durations of Go, such as 90m, and whole days and weeks: 400d,
// 52w.
func parseDuration(text string) (time.Duration, bool) {
	for suffix, unit := range map[string]time.Duration{"d": OneDay, "w": 7 * OneDay} {
		if count, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseInt(count, 10, 32)
			return time.Duration(n) * unit, err == nil && n <= int64(math.MaxInt64/unit)
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// parseHistory parses a duration and rounds it up to whole days.
func parseHistory(text string) (time.Duration, *ValueProblem) {
	d, ok := parseDuration(text)
	if !ok || d <= 0 || d > maxHistory*OneDay {
		return 0, &ValueProblem{
			fmt.Sprintf("is not a stretch of time of 1 to %d days", maxHistory), "give days or weeks, such as 365d or 52w"}
	}
	return (d + OneDay - 1).Truncate(OneDay), nil
}

// parseKeepAnswers parses a number of days, or 0.
func parseKeepAnswers(text string) (int, *ValueProblem) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > maxHistory {
		return 0, &ValueProblem{fmt.Sprintf("is not a number of days from 0 to %d", maxHistory), "give one such as 90, or 0 to keep only fingerprints"}
	}
	return int(n), nil
}

// parseKeepMarket parses a number of days of at least 1.
func parseKeepMarket(text string) (int, *ValueProblem) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n < 1 || n > maxHistory {
		return 0, &ValueProblem{fmt.Sprintf("is not a number of days from 1 to %d", maxHistory), "give one such as 7"}
	}
	return int(n), nil
}

func parseCollectEvery(text string) (time.Duration, *ValueProblem) {
	d, ok := parseDuration(text)
	if !ok || d < minCollectEvery {
		return 0, &ValueProblem{"is not a stretch of time of at least " + minCollectEvery.String(), "give one such as 15m or 1h"}
	}
	return d, nil
}

// ParseListen accepts host:port with a numeric port. An empty host means every
// address of the machine.
func ParseListen(text string) (string, *ValueProblem) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", &ValueProblem{"is not host:port", "give one such as 127.0.0.1:8080"}
	}
	return text, nil
}

// parseMetricsListen listens on this machine only if no host is named: metrics are
// exposed to a network only on purpose.
func parseMetricsListen(text string) (string, *ValueProblem) {
	if text == "off" {
		return "", nil
	}
	if port, bare := strings.CutPrefix(text, ":"); bare {
		text = net.JoinHostPort("127.0.0.1", port)
	}
	return ParseListen(text)
}

// loopback reports whether host is this machine and nothing else.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// parseOrigin parses a bare scheme and host, and drops a trailing slash.
func parseOrigin(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, false
		}
	}
	bare := u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && (u.Path == "" || u.Path == "/")
	u.Path, u.Host = "", strings.ToLower(u.Host)
	return u, bare && !strings.Contains(text, "#")
}

// ParseBaseURL parses the address of an exchange. A path is refused: signatures cover
// it, and a proxy that strips a prefix would break them. Plain http is refused because
// requests carry the key.
func ParseBaseURL(text string) (string, *ValueProblem) {
	u, ok := parseOrigin(text)
	if !ok {
		return "", &ValueProblem{"is not the bare address of an exchange", "give scheme and host only, such as https://api.example.com, without user, path or query"}
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return "", &ValueProblem{"would send the key unencrypted", "use https; http is for this machine only"}
	}
	return u.String(), nil
}

func parsePublicURL(text string) (string, *ValueProblem) {
	u, ok := parseOrigin(text)
	if !ok {
		return "", &ValueProblem{"is not a bare web address", "give scheme and host only, such as https://desk.example.com"}
	}
	return u.String(), nil
}

const masterKeySize = 32

// parseMasterKey returns the raw bytes, as a Secret so that they do not print.
func parseMasterKey(text string) (exchange.Secret, *ValueProblem) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != masterKeySize {
		return "", &ValueProblem{
			fmt.Sprintf("is not %d bytes in base64", masterKeySize),
			fmt.Sprintf("make one with: head -c %d /dev/urandom | base64", masterKeySize)}
	}
	return exchange.Secret(raw), nil
}
