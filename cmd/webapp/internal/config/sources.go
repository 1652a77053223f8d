package config

import (
	"slices"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/exchange"
)

const (
	environmentPrefix = "REBATEDESK_"
	fileSuffix        = "_FILE"
)

// Sources is where settings come from.
type Sources struct {
	Flags      map[string]string // by setting name, see FlagsOf
	ConfigFile string            // --config; REBATEDESK_CONFIG where empty
	Environ    []string          // NAME=value, as by os.Environ
	Now        func() time.Time  // nil is time.Now
}

// layer is one source of settings. An empty value counts as not set.
type layer struct {
	values map[string]string           // by setting name, or NAME_FILE
	place  func(setting string) string // how to name the place of a setting to the user
}

// reader reads settings from layers, the strongest first, and gathers what is
// wrong with them.
type reader struct {
	layers []layer
	faults Faults
	table  string // which [[account]] table is read, if it is one
}

// newReader opens the sources. The account tables of the TOML file come apart,
// since each is read on its own.
func newReader(from Sources) (*reader, []layer) {
	r := &reader{}
	environment := environmentLayer(from.Environ)
	r.layers = []layer{{values: from.Flags, place: FlagName}, environment}
	path, origin := from.ConfigFile, "--config"
	if path == "" {
		path, origin = environment.values["CONFIG"], environmentPrefix+"CONFIG"
	}
	if path == "" {
		return r, nil
	}
	file, tables := r.readFile(path, origin)
	r.layers = append(r.layers, file)
	return r, tables
}

// PlaceOf is where a setting is set, directly or by a file; empty where it is not.
func (from Sources) PlaceOf(setting string) string {
	r, _ := newReader(from)
	for _, l := range r.layers {
		for _, name := range []string{setting, setting + fileSuffix} {
			if l.values[name] != "" {
				return l.place(name)
			}
		}
	}
	return ""
}

func FlagName(setting string) string {
	return "--" + strings.ToLower(strings.ReplaceAll(setting, "_", "-"))
}

func environmentLayer(environ []string) layer {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if setting, ours := strings.CutPrefix(name, environmentPrefix); ours {
			values[setting] = value
		}
	}
	return layer{values: values, place: func(setting string) string { return environmentPrefix + setting }}
}

// text finds a plain setting: its value and where that was set. The fallback
// has no place.
func (r *reader) text(s setting) (value, origin string) {
	for _, l := range r.layers {
		if v := l.values[s.name]; v != "" {
			return v, l.place(s.name)
		}
	}
	return s.Fallback, ""
}

// secret finds a secret setting, directly or in a file. Both in one layer
// contradict each other; across layers the stronger one counts.
func (r *reader) secret(s setting) (value, origin string) {
	for _, l := range r.layers {
		direct, file := l.values[s.name], l.values[s.name+fileSuffix]
		switch {
		case direct != "" && file != "":
			r.fault(s.name, l.place(s.name), Problem{
				"is set together with " + l.place(s.name+fileSuffix), "keep one of the two"})
			return "", ""
		case direct != "":
			return direct, l.place(s.name)
		case file != "":
			return r.secretFile(s, file, l.place(s.name+fileSuffix)), l.place(s.name + fileSuffix)
		}
	}
	return "", ""
}

// MaxSecretFile bounds what is read of a secret's file, which may be named by
// mistake.
const MaxSecretFile = 64 << 10

// secretFile reads a secret from its file, without the trailing line break
// that editors add.
func (r *reader) secretFile(s setting, path, origin string) string {
	content, err := files.Read(path, MaxSecretFile)
	if err != nil {
		r.fault(s.name, origin, Problem{"cannot be read: " + err.Error(), "name a readable file that holds nothing but the value"})
		return ""
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if value == "" {
		r.fault(s.name, origin, Problem{"names an empty file", "write the value into it"})
	}
	return value
}

func (r *reader) fault(name, origin string, p Problem) {
	if origin == "" {
		origin = r.table
	}
	r.faults = append(r.faults, Fault{Setting: name, Origin: origin, Wrong: p.Wrong, Mend: p.Mend})
}

// read is the setting called name, parsed. A value that parse refuses becomes
// a fault that repeats it.
func read[T any](r *reader, name string, parse func(string) (T, *Problem)) T {
	s := SettingByName(name)
	text, origin := r.text(s)
	value, p := parse(text)
	if p != nil {
		r.fault(name, origin, Problem{Echo(text) + p.Wrong, p.Mend})
	}
	return value
}

// readSecret is like read for a secret: faults do not repeat the value.
func readSecret[T any](r *reader, name string, parse func(string) (T, *Problem)) T {
	before := len(r.faults)
	text, origin := r.secret(SettingByName(name))
	if len(r.faults) > before {
		var none T
		return none
	}
	value, p := parse(text)
	if p != nil {
		r.fault(name, origin, *p)
	}
	return value
}

// Optional lets parse see only values that are set.
func Optional[T any](parse func(string) (T, *Problem)) func(string) (T, *Problem) {
	return func(text string) (T, *Problem) {
		if text == "" {
			var none T
			return none, nil
		}
		return parse(text)
	}
}

// missing records that a setting has to be set and is not.
func (r *reader) missing(name string) {
	s := SettingByName(name)
	ways := []string{s.variable(), s.flag(), s.key() + " in the TOML file"}
	if s.secret {
		ways = slices.Insert(ways, 1, s.variable()+fileSuffix)
	}
	if r.table != "" {
		ways = []string{s.key() + " in that table"}
	}
	r.fault(name, "", Problem{"is not set", "set " + strings.Join(ways, ", or ")})
}

// ParseCredential accepts a key, secret or passphrase. It travels in a request
// header, which cannot hold line breaks; blanks at the ends are slips of
// copying.
func ParseCredential(text string) (exchange.Secret, *Problem) {
	if strings.TrimSpace(text) != text || OneLine(text) != text {
		return "", &Problem{"begins or ends with a blank or holds a line break", "copy the value again, without them"}
	}
	return exchange.Secret(text), nil
}
