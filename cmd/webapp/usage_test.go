package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/config"

	"github.com/alecthomas/kong"
)

// A long text, and one with control characters: neither is a valid name, coin or code.
var (
	long    = strings.Repeat("x", 1100)
	control = "a\x1bb"
)

// base holds the rest of the command line that a tested flag needs, by command.
var base = map[string][]string{
	"export":                  {"commissions"},
	"summary preview":         {"--period=daily"},
	"summary send":            {"--period=daily", "--to=a@example.com"},
	"summary schedule add":    {"--schedule=x", "--period=daily", "--to=a@example.com"},
	"summary schedule pause":  {"--schedule=x"},
	"summary schedule resume": {"--schedule=x"},
	"summary schedule remove": {"--schedule=x"},
	"summary alert add":       {"--alert=x", "--watch=drop", "--to=a@example.com"},
	"summary alert pause":     {"--alert=x"},
	"summary alert resume":    {"--alert=x"},
	"summary alert remove":    {"--alert=x"},
	"backup":                  {"copy.db"},
	"restore":                 {"copy.db"},
	"account add":             {"--name=x", "--base-url=https://api.example.com", "--keys-stdin"},
	"account rotate":          {"x", "--keys-stdin"},
	"account test":            {"x"},
	"account disable":         {"x"},
	"account enable":          {"x"},
	"user add":                {"--name=x", "--role=viewer", "--password-stdin"},
	"user role":               {"--name=x", "--role=viewer"},
	"user password":           {"--name=x", "--password-stdin"},
	"user disable":            {"--name=x"},
	"user enable":             {"--name=x"},
	"user reset-totp":         {"--name=x"},
	"user bind":               {"--name=x", "--code=y"},
	"user unbind":             {"--name=x"},
	"token create":            {"--user=x", "--name=y", "--scope=read"},
	"token revoke":            {"1"},
	"copy":                    {"--from=x.db", "--to=y.db"},
	"doctor":                  {},
	"payments rule fix":       {"week+1d together", "--from=2026-01-01"},
	"payments rule auto":      {"--from=2026-01-01"},
	"payments rule remove":    {"1"},
	"month close":             {"2026-10"},
	"month reopen":            {"2026-10", "--reason=x"},
	"month pack":              {"2026-10", "-o=x.zip"},
	"month check":             {"x.zip"},
	"terms import":            {"terms.csv"},
	"terms remove":            {"1"},
	"import people":           {"people.csv"},
	"import prices":           {"prices.csv"},
	"import commissions":      {"commissions.csv", "--account=house"},
	"import undo":             {"1"},
	"channel add":             {"--name=x", "--kind=webhook", "--url-file=address.txt"},
	"channel test":            {"--name=x"},
	"channel pause":           {"--name=x"},
	"channel resume":          {"--name=x"},
	"channel rotate":          {"--name=x"},
	"channel remove":          {"--name=x"},
	"delivery add":            {"--name=x", "--kind=daily", "--every=day", "--to=file:///x"},
	"delivery log":            {"--name=x"},
	"delivery run":            {"--name=x"},
	"delivery pause":          {"--name=x"},
	"delivery resume":         {"--name=x"},
	"delivery remove":         {"--name=x"},
}

// instead holds the flags that replace those of the base, because the two exclude each
// other or only one of them counts.
var instead = map[string][]string{
	"export --since":                           {"changes"},
	"export --until":                           {"changes", "--since=2026-01-01"},
	"summary preview --schedule":               {},
	"summary send --schedule":                  {},
	"summary alert add --hours":                {"--alert=x", "--watch=gap", "--to=a@example.com"},
	"summary alert add --above":                {"--alert=x", "--watch=silence", "--to=a@example.com"},
	"account add --key-file":                   {"--name=x", "--base-url=https://api.example.com"},
	"account add --secret-file":                {"--name=x", "--base-url=https://api.example.com"},
	"account add --passphrase-file":            {"--name=x", "--base-url=https://api.example.com"},
	"account add --trading-key-file":           {"--name=x", "--base-url=https://api.example.com"},
	"account add --trading-secret-file":        {"--name=x", "--base-url=https://api.example.com"},
	"account add --trading-passphrase-file":    {"--name=x", "--base-url=https://api.example.com"},
	"account rotate --key-file":                {"x"},
	"account rotate --secret-file":             {"x"},
	"account rotate --passphrase-file":         {"x"},
	"account rotate --trading-key-file":        {"x"},
	"account rotate --trading-secret-file":     {"x"},
	"account rotate --trading-passphrase-file": {"x"},
	"copy --from-file":                         {"--to=y.db"},
	"month pack --output":                      {"2026-10"},
	"copy --to-file":                           {"--from=x.db"},
	"token revoke --user":                      {"--name=y"},
	"token revoke --name":                      {"--user=x"},
	"summary schedule add --day":               {"--schedule=x", "--period=monthly", "--to=a@example.com"},
	"serve --tls-cert":                         {}, "serve --tls-key": {},
	"delivery add --symbol": {"--name=x", "--kind=commissions", "--every=day", "--to=file:///x"},
}

var (
	badNames     = []string{"", " ", long, control}
	badAccounts  = []string{"a b", "../x", long}
	badUsers     = []string{"a b", "x/y", long, control}
	badDays      = []string{"soon", "2026-02-30", "1.9.2026"}
	badAddresses = []string{"", "nobody", "Ann <a@example.com>", "a@example.com\r\nBcc: b@example.com"}
	badFiles     = []string{"", "folder"}
	badURLs      = []string{"x", "ftp://example.com", "http://example.com", "https://example.com/path"}
	badCounts    = []string{"x", "-1", "1.5"}
	badDatabases = []string{":memory:", "file:x.db", "mysql://host/x", "postgres:x", "postgres://host", "postgres://u:p%zz@host/x", "postgres://host:port/x"}
	badPaths     = []string{"missing/file", "folder"}
)

// bad holds values that are refused without a database, by command and flag, by the flag of
// a setting, or by the name of an argument.
var bad = map[string][]string{
	"export <kind>":                            {"", "money", "Commissions"},
	"export --from":                            append([]string{"2999-01-01"}, badDays...),
	"export --to":                              badDays,
	"export --account":                         {long, control},
	"export --product":                         {"OPTIONS", long},
	"export --coin":                            {long, control},
	"export --uid":                             {"1'2", long, control},
	"export --symbol":                          {long, control},
	"export --source":                          {"indirect"},
	"export --code":                            {long, control},
	"export --segment":                         {long, control},
	"export --as-of":                           {"yesterday", "2026-02-29", "1000-01-01T00:00:00Z"},
	"export --since":                           {"yesterday", "2999-01-01", "1000-01-01T00:00:00Z"},
	"export --until":                           {"yesterday", "1000-01-01T00:00:00Z"},
	"export --format":                          {"", "pdf", "XLSX"},
	"export --output":                          {"rebatedesk.db", "rebatedesk.db-wal"},
	"export --manifest":                        {"rebatedesk.db", "rebatedesk.db.key"},
	"collect --since":                          append([]string{"1999-01-01"}, badDays...),
	"collect --account":                        badAccounts,
	"collect --stream":                         {"money"},
	"summary preview --schedule":               badNames[2:],
	"summary preview --period":                 {"hourly"},
	"summary preview --date":                   badDays,
	"summary preview --to":                     badAddresses,
	"summary preview --account":                badAccounts,
	"summary send --schedule":                  badNames[2:],
	"summary send --period":                    {"hourly"},
	"summary send --date":                      badDays,
	"summary send --to":                        badAddresses,
	"summary send --account":                   badAccounts,
	"summary schedule add --schedule":          badNames,
	"summary schedule add --period":            {"", "hourly"},
	"summary schedule add --to":                badAddresses,
	"summary schedule add --at":                {"25:00", "7", "noon"},
	"summary schedule add --zone":              {"Nowhere/At", "Local"},
	"summary schedule add --weekday":           {"someday"},
	"summary schedule add --day":               {"0", "32", "x"},
	"summary schedule add --account":           badAccounts,
	"summary schedule add --as":                badUsers,
	"summary alert add --as":                   badUsers,
	"summary schedule add --product":           {"OPTIONS", control},
	"summary schedule add --coin":              {long, control},
	"summary schedule add --code":              {long, control},
	"summary schedule add --segment":           {long, control},
	"summary schedule add --section":           {"weather"},
	"summary schedule add --skip-below":        {"100", "much USDT", "-1 USDT"},
	"summary schedule add --deadline":          {"0", "21", "x"},
	"summary schedule add --correct-above":     {"5", "x USDT", "-1 USDT"},
	"summary schedule pause --schedule":        badNames,
	"summary schedule resume --schedule":       badNames,
	"summary schedule remove --schedule":       badNames,
	"summary alert add --alert":                badNames,
	"summary alert add --watch":                {"", "weather"},
	"summary alert add --to":                   badAddresses,
	"summary alert add --hours":                {"-1", "721", "x"},
	"summary alert add --segment":              {long, control},
	"summary alert add --below":                {"-1", "100", "x"},
	"summary alert add --above":                {"100", "much USDT", "0 USDT", "-1 USDT"},
	"summary alert add --coin":                 {long, control},
	"summary alert add --account":              badAccounts,
	"summary alert add --quiet":                {"22:00", "22:00-25:00", "07:00-07:00"},
	"summary alert add --zone":                 {"Nowhere/At", "Local"},
	"summary alert add --apart":                {"-1", "169", "x"},
	"summary alert pause --alert":              badNames,
	"summary alert resume --alert":             badNames,
	"summary alert remove --alert":             badNames,
	"copy --from":                              append([]string{""}, badDatabases...),
	"copy --from-file":                         badPaths,
	"copy --to":                                append([]string{""}, badDatabases...),
	"copy --to-file":                           badPaths,
	"backup <file>":                            badFiles,
	"restore <file>":                           badFiles,
	"verify --anchor":                          {"", "36", "36:abc", "missing.txt", "folder"},
	"verify --restored":                        {"", long, control},
	"account add --name":                       append([]string{""}, badAccounts...),
	"account add --base-url":                   append([]string{""}, badURLs...),
	"account add --contract-base-url":          badURLs,
	"account add --api-version":                {"v4"},
	"account add --locale":                     {"english please"},
	"account add --key-file":                   badPaths,
	"account add --secret-file":                badPaths,
	"account add --passphrase-file":            badPaths,
	"account add --trading-key-file":           badPaths,
	"account add --trading-secret-file":        badPaths,
	"account add --trading-passphrase-file":    badPaths,
	"account rotate --key-file":                badPaths,
	"account rotate --secret-file":             badPaths,
	"account rotate --passphrase-file":         badPaths,
	"account rotate --trading-key-file":        badPaths,
	"account rotate --trading-secret-file":     badPaths,
	"account rotate --trading-passphrase-file": badPaths,
	"account rotate <name>":                    append([]string{""}, badAccounts...),
	"account test <name>":                      append([]string{""}, badAccounts...),
	"account disable <name>":                   append([]string{""}, badAccounts...),
	"account enable <name>":                    append([]string{""}, badAccounts...),
	"user bind --account":                      slices.Concat([]string{""}, badAccounts),
	"user unbind --account":                    slices.Concat([]string{""}, badAccounts),
	"user bind --code":                         {"", control, long},
	"user unbind --code":                       {"", control, long},
	"user bind --tag":                          {"", control, long},
	"user unbind --tag":                        {"", control, long},
	"user add --role":                          {"", "emperor"},
	"user role --role":                         {"", "emperor"},
	"token create --user":                      append([]string{""}, badUsers...),
	"token create --name":                      badNames,
	"token create --expires":                   {"soon", "0d", "2026-02-30", "2000-01-01"},
	"token create --scope":                     {"", "all"},
	"token list --user":                        badUsers,
	"token revoke <id>":                        {"x", "-1"},
	"token revoke --user":                      append([]string{""}, badUsers...),
	"token revoke --name":                      badNames[1:],
	"payments rule show --account":             {long, control},
	"payments rule fix <rule>":                 {"", "sometimes", "week+soon together", "year+1d apart", "week+1d together direct=x"},
	"payments rule fix --from":                 badDays,
	"payments rule fix --account":              badAccounts,
	"payments rule auto --from":                badDays,
	"payments rule auto --account":             badAccounts,
	"payments rule remove <number>":            {"x", "-1", "0"},
	"month close <month>":                      {"", "october", "2026-13", "2026-10-01", "1999-01"},
	"month close --reason":                     {long, control},
	"month reopen <month>":                     {"", "october", "2026-13"},
	"month reopen --reason":                    {"", long, control},
	"month pack <month>":                       {"", "october", "2026-13"},
	"month pack --output":                      {"", "rebatedesk.db"},
	"month check <file>":                       {"", "missing.zip", "."},
	"month check --key":                        {"12", long},
	"terms import <file>":                      append([]string{"file", "missing/file"}, badFiles...),
	"terms list --as-of":                       {"yesterday", "2026-02-29", "1000-01-01T00:00:00Z"},
	"terms remove <id>":                        {"x", "-1", "0"},
	"import people <file>":                     append([]string{"file", "missing/file"}, badFiles...),
	"import prices <file>":                     append([]string{"file", "missing/file"}, badFiles...),
	"simulate --exchange":                      {"nowhere", "WEEX"},
	"import commissions <file>":                append([]string{"file", "missing/file"}, badFiles...),
	"import commissions --map":                 {"wages=Rebate", "commission"},
	"import commissions --times-in":            {"Nowhere/Town", "Local"},
	"import commissions --from":                {"yesterday", "2026-13-01"},
	"import commissions --to":                  {"yesterday", "2026-13-01"},
	"import undo <id>":                         {"x", "-1", "0"},
	"simulate --listen":                        {"here", "127.0.0.1:x"},
	"simulate --seed":                          {"x"},
	"simulate --days":                          append([]string{"0"}, badCounts...),
	"simulate --invitees":                      badCounts,
	"simulate --records":                       badCounts,
	"simulate --faults":                        {"", "all"},
	"simulate --rate":                          {"", "2026-06-01", "soon 0.1", "2026-06-01 2", "2026-06-01 0.1 colour=red"},
	"simulate --payouts":                       {"", "year", "day+soon", "day apart"},
	"simulate --rate-limit":                    badCounts,
	"demo --data":                              {"file"},
	"channel add --name":                       badNames,
	"channel add --kind":                       {"", "fax", "Webhook"},
	"channel add --url-file":                   badPaths,
	"channel add --events":                     {"payment.late"},
	"channel add --owner":                      {"nobody"},
	"summary schedule add --channel":           {control},
	"summary alert add --channel":              {control},
	"key change --new-key-file":                {"", ".", "file"},
	"delivery add --name":                      badNames,
	"delivery add --kind":                      {"", "money", "Commissions"},
	"delivery add --format":                    {"", "pdf", "XLSX", "json"},
	"delivery add --every":                     {"", "hour", "daily"},
	"delivery add --at":                        {"", "25:00", "7", "noon"},
	"delivery add --to":                        {"", "x", "/var/exports", "ftp://a/b", "s3://A/b", "sftp://host/x", "sftp://a:b@host/x", "file:///a?b"},
	"delivery add --content":                   {"all", "incremental"},
	"delivery add --deadline":                  {"-1", "73", "x"},
	"delivery add --account":                   {long, control},
	"delivery add --product":                   {"OPTIONS", long},
	"delivery add --coin":                      {long, control},
	"delivery add --uid":                       {"1'2", long, control},
	"delivery add --symbol":                    {long, control},
	"delivery add --source":                    {"indirect"},
	"delivery add --code":                      {long, control},
	"delivery add --segment":                   {long, control},
	"delivery log --most":                      {"0", "-1", "x"},
	"delivery run --date":                      badDays,

	"--seen":                        {"yesterday", "2026-09-07"},
	"--config":                      badPaths,
	"--node":                        {"two nodes", long, control},
	"--db":                          badDatabases,
	"--db-file":                     badPaths,
	"--allow-private-urls":          {"maybe"},
	"--allowed-hosts":               {"https://example.com", "*", "a,,b"},
	"--public-url":                  {"desk.example.com", "https://desk.example.com/x"},
	"--tls-cert":                    {"cert.pem"},
	"--tls-key":                     {"key.pem"},
	"--payout-rule":                 {"sometimes", "week+soon together", "day+8h"},
	"--statement-name":              {long, control},
	"--statement-address":           {long, control},
	"--statement-logo":              badPaths,
	"--account":                     badAccounts,
	"--base-url":                    badURLs,
	"--contract-base-url":           badURLs,
	"--backup-keep":                 badCounts,
	"--delivery-folders":            {"exports", "/a,b"},
	"--s3-endpoint":                 badURLs,
	"--s3-access-key":               {" x"},
	"--s3-secret-key":               {" x"},
	"--s3-access-key-file":          badPaths,
	"--s3-secret-key-file":          badPaths,
	"--sftp-password":               {" x"},
	"--sftp-password-file":          badPaths,
	"--sftp-key":                    {"x"},
	"--sftp-key-file":               badPaths,
	"--sftp-key-passphrase":         {" x"},
	"--sftp-key-passphrase-file":    badPaths,
	"--smtp-url":                    {"mail.example.com", "http://mail.example.com"},
	"--mail-from":                   {"nobody"},
	"--mail-helo":                   {"desk example", "[x]"},
	"--trading":                     {"on"},
	"--order-cap":                   {"0", "-1", "much"},
	"--daily-cap":                   {"0", "-1", "much"},
	"--allow-pairs":                 {"a b", "BTC/USDT"},
	"--api-key":                     {" x"},
	"--api-secret":                  {" x"},
	"--api-passphrase":              {" x"},
	"--trading-api-key":             {" x"},
	"--trading-api-secret":          {" x"},
	"--trading-api-passphrase":      {" x"},
	"--master-key":                  {"short"},
	"--api-key-file":                badPaths,
	"--api-secret-file":             badPaths,
	"--api-passphrase-file":         badPaths,
	"--trading-api-key-file":        badPaths,
	"--trading-api-secret-file":     badPaths,
	"--trading-api-passphrase-file": badPaths,
	"--smtp-url-file":               badPaths,
	"--master-key-file":             badPaths,
}

// anyText are the flags that accept any text.
var anyText = []string{"trading stop --reason", "trading resume --reason", "--backup-dir", "--kill-file", "--sftp-known-hosts"}

func init() {
	for _, command := range []string{"log", "run", "pause", "resume", "remove"} {
		bad["delivery "+command+" --name"] = badNames
		bad["delivery "+command+" <delivery>"] = badNames[1:] // an empty one is none
		instead["delivery "+command+" <delivery>"] = []string{}
		instead["delivery "+command+" --name"] = []string{}
	}
	for _, command := range []string{"test", "pause", "resume", "rotate", "remove"} {
		bad["channel "+command+" --name"] = badNames
		bad["channel "+command+" <channel>"] = badNames[1:] // an empty one is none
		instead["channel "+command+" <channel>"] = []string{}
		instead["channel "+command+" --name"] = []string{}
	}
	for _, command := range []string{"add", "role", "password", "disable", "enable", "reset-totp", "bind", "unbind"} {
		bad["user "+command+" --name"] = badUsers
		bad["user "+command+" <user>"] = badUsers
		instead["user "+command+" <user>"] = slices.DeleteFunc(slices.Clone(base["user "+command]), func(s string) bool { return s == "--name=x" })
	}
}

// Every flag and argument of every command is checked before anything is opened. In an empty
// folder the whole program refuses a bad value with an error that names the flag and with
// the status of wrong usage, and creates nothing.
func TestUsageComesFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, made := range []error{os.Mkdir("folder", 0o700), os.WriteFile("file", nil, 0o600), os.WriteFile("address.txt", []byte("https://192.88.98.1/hook"), 0o600)} {
		if made != nil {
			t.Fatal(made)
		}
	}
	parser, err := kong.New(&commandLine{}, config.HelpOptions(), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, leaf := range parser.Model.Leaves(false) {
		var out, errs bytes.Buffer
		p := &program{stdout: &out, stderr: &errs}
		path := strings.TrimPrefix(leaf.Path(), "webapp.test ")
		path = strings.TrimSpace(strings.TrimPrefix(path, parser.Model.Name))
		if i := strings.IndexAny(path, "<["); i >= 0 {
			path = strings.TrimSpace(path[:i])
		}
		var parts []string
		settingFlags := map[string]bool{}
		for _, flags := range leaf.AllFlags(true) {
			for _, flag := range flags {
				settingFlags[flag.Name] = flag.Group != nil && flag.Group.Key == "settings"
				if !flag.IsBool() {
					parts = append(parts, "--"+flag.Name)
				}
			}
		}
		for _, argument := range leaf.Positional {
			parts = append(parts, "<"+argument.Name+">")
		}
		for _, part := range parts {
			key := path + " " + part
			values, ok := bad[key]
			if !ok {
				// All commands read a setting in the same place, so one bad
				// value shows that the next command reads it too.
				values, ok = bad[part]
				bad[part] = values[:min(1, len(values))]
			}
			if name := strings.TrimPrefix(part, "--"); !ok && settingFlags[name] {
				values, ok = []string{control}, true // package config tries more
			}
			if slices.Contains(anyText, key) || slices.Contains(anyText, part) {
				continue
			}
			if !ok {
				t.Errorf("%s: no bad value is tried", key)
			}
			for _, value := range values {
				tried++
				p.stdin = strings.NewReader("key\nsecret\nphrase\n")
				refusesValue(t, path, part, value, func(args []string) (int, string, string) {
					out.Reset()
					errs.Reset()
					return p.runs(t.Context(), args), out.String(), errs.String()
				})
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d values were tried", tried)
	}
}

func refusesValue(t *testing.T, path, part, value string, run func(args []string) (status int, stdout, stderr string)) {
	t.Helper()
	rest, ok := instead[path+" "+part]
	if !ok {
		rest = slices.Clone(base[path])
	}
	args := strings.Fields(path)
	name := strings.Trim(part, "<>")
	if strings.HasPrefix(part, "--") {
		rest = slices.DeleteFunc(slices.Clone(rest), func(s string) bool { return strings.HasPrefix(s, part+"=") })
		args = append(append(args, part+"="+value), rest...)
	} else {
		rest = slices.DeleteFunc(slices.Clone(rest), func(s string) bool { return !strings.HasPrefix(s, "--") })
		args = append(append(append(args, rest...), "--"), value)
	}
	status, stdout, stderr := run(args)
	said := strings.ToLower(stderr)
	if path == "doctor" {
		said += strings.ToLower(stdout)
	} else if stdout != "" {
		t.Errorf("%q: prints %q", args, stdout)
	}
	setting := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(part, "--"), "-file"), "-", "_")
	names := strings.Contains(said, part) || strings.Contains(said, setting) || !strings.HasPrefix(part, "--") && strings.Contains(said, name)
	if status != statusUsage || !names || !strings.HasPrefix(said, "webapp: ") {
		t.Errorf("%q: status %d, %q", args, status, stderr)
	}
	if left := listed(t, "."); !slices.Equal(left, []string{"address.txt", "file", "folder"}) {
		t.Errorf("%q: leaves %v", args, left)
	}
}
