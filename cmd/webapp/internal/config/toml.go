package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/files"

	"github.com/BurntSushi/toml"
)

// maxConfigFile limits what is read of the TOML file.
const maxConfigFile = 1 << 20

// accountsKey is the key of the account tables.
const accountsKey = "account"

// readFile reads the TOML file: the plain settings, and a layer per [[account]]
// table.
func (r *reader) readFile(path, origin string) (layer, []layer) {
	none := layer{place: func(string) string { return "" }}
	content, err := files.ReadLimited(path, maxConfigFile)
	if err != nil {
		r.fault("CONFIG", origin, ValueProblem{"cannot be read: " + err.Error(), "name a readable TOML file"})
		return none, nil
	}
	var document map[string]any
	if _, err := toml.Decode(string(content), &document); err != nil {
		r.fault("CONFIG", origin, syntaxProblem(path, err))
		return none, nil
	}
	tables := r.accountTables(path, document)
	return r.tableLayer(document, path, topLevel), tables
}

// syntaxProblem reports where the file is not valid TOML. The parser's own message is left
// out: it quotes the file, which may hold secrets.
func syntaxProblem(path string, err error) ValueProblem {
	p := ValueProblem{fmt.Sprintf("%q is not valid TOML", path), "correct the file; texts go in double quotes, and a key may occur only once"}
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		p.Wrong += fmt.Sprintf(" at line %d", syntax.Position.Line)
	}
	return p
}

// accountTables removes the [[account]] tables from the document. A string under
// the same key is the plain account's name and stays.
func (r *reader) accountTables(path string, document map[string]any) []layer {
	switch found := document[accountsKey].(type) {
	case nil, string:
		return nil
	case []map[string]any:
		delete(document, accountsKey)
		tables := make([]layer, len(found))
		for i, table := range found {
			tables[i] = r.tableLayer(table, fmt.Sprintf("[[account]] %d of %s", i+1, path), accountTable)
		}
		return tables
	}
	delete(document, accountsKey)
	r.fault("ACCOUNT", path, ValueProblem{"is neither a name nor a list of tables", "begin each account's table with [[account]]"})
	return nil
}

// knownKeys maps the keys of a table to settings.
type knownKeys map[string]setting

var (
	topLevel     = keysOf(func(setting) bool { return true })
	accountTable = keysOf(func(s setting) bool { return s.perTable })
)

func init() { accountTable["name"] = settingByName("ACCOUNT") }

func keysOf(in func(setting) bool) knownKeys {
	keys := knownKeys{}
	for _, s := range settings {
		if !in(s) {
			continue
		}
		keys[s.key()] = s
		if s.inFile() {
			keys[s.key()+strings.ToLower(fileSuffix)] = s
		}
	}
	return keys
}

// tableLayer reads the settings of a table and reports unknown keys.
func (r *reader) tableLayer(table map[string]any, where string, known knownKeys) layer {
	values, keys := map[string]string{}, map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		s, ok := known[key]
		if !ok {
			r.fault(Echo(key), where, ValueProblem{"is not a known key", "the nearest one is " + nearestKey(key, known)})
			continue
		}
		text, ok := tableText(s, table[key])
		if !ok {
			r.fault(s.name, key+" in "+where, ValueProblem{"is not a text", "put the value in double quotes"})
			continue
		}
		name := s.name
		if s.inFile() && key != s.key() {
			name += fileSuffix
		}
		values[name], keys[name] = text, key
	}
	return layer{values: values, place: func(name string) string { return keys[name] + " in " + where }}
}

// tableText returns a TOML value as the text that a flag would have; a list becomes
// its items separated by commas. Numbers with a fraction must be strings: TOML
// would round them.
func tableText(s setting, value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), !s.secret
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			text, ok := item.(string)
			if !ok || strings.Contains(text, ",") {
				return "", false
			}
			items[i] = text
		}
		return strings.Join(items, ","), s.list
	}
	return "", false
}

// nearestKey returns the known key with the smallest edit distance.
func nearestKey(key string, known knownKeys) string {
	return affiliate.Nearest(key, slices.Sorted(maps.Keys(known)))[0]
}
