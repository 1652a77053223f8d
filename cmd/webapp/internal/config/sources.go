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

// Inputs are the sources of settings.
type Inputs struct {
	Flags      map[string]string // by setting name, see FlagsOf
	ConfigFile string            // --config; empty means REBATEDESK_CONFIG
	Environ    []string          // NAME=value, as by os.Environ
	Now        func() time.Time  // nil means time.Now
	LeaseTime  time.Duration     // 0: that of the store
}

// layer is one source of settings. An empty value counts as not set.
type layer struct {
	values map[string]string           // by setting name, or NAME_FILE
	place  func(setting string) string // how to name the place of a setting to the user
}

// reader reads settings from layers, the strongest first, and collects the faults.
type reader struct {
	layers []layer
	faults SettingFaults
	table  string // the [[account]] table being read, if any
}

// newReader opens the sources. The account tables of the TOML file are returned separately,
// because each one is read separately.
func newReader(from Inputs) (*reader, []layer) {
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

// PlaceOf returns where a setting is set, directly or by a file; empty if it is
// not.
func (from Inputs) PlaceOf(setting string) string {
	r, _ := newReader(from)
	return r.place(setting)
}

// FlagName returns the flag of a setting.
func FlagName(setting string) string { return "--" + flagName(setting) }

func flagName(setting string) string {
	return strings.ToLower(strings.ReplaceAll(setting, "_", "-"))
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

// find returns the text of a setting and where it was set; a fallback has no
// origin. A secret, for example, may be in a file: both in one layer contradict each other,
// across layers the stronger layer counts. It is not ok if a fault was reported.
func (r *reader) find(s setting) (text, origin string, ok bool) {
	for _, l := range r.layers {
		direct, file := l.values[s.name], ""
		if s.inFile() {
			file = l.values[s.name+fileSuffix]
		}
		switch {
		case direct != "" && file != "":
			r.fault(s.name, l.place(s.name), ValueProblem{
				"is set together with " + l.place(s.name+fileSuffix), "keep one of the two"})
			return "", "", false
		case direct != "":
			return direct, l.place(s.name), true
		case file != "":
			origin = l.place(s.name + fileSuffix)
			text, ok = r.secretFile(s, file, origin)
			return text, origin, ok
		}
	}
	return s.fallback, "", true
}

// place returns where a setting is set, directly or by a file; empty if it is not.
func (r *reader) place(name string) string {
	for _, l := range r.layers {
		switch {
		case l.values[name] != "":
			return l.place(name)
		case settingByName(name).inFile() && l.values[name+fileSuffix] != "":
			return l.place(name + fileSuffix)
		}
	}
	return ""
}

// MaxSecretFile limits what is read from the file of a secret, which may be named
// by mistake.
const MaxSecretFile = 64 << 10

// ReadValue returns the content of a file, without the trailing line break that editors add.
func ReadValue(path string) (string, error) {
	content, err := files.ReadLimited(path, MaxSecretFile)
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), err
}

// secretFile reads a value from its file, without the trailing line break that
// editors add.
func (r *reader) secretFile(s setting, path, origin string) (value string, ok bool) {
	value, err := ReadValue(path)
	if err != nil {
		r.fault(s.name, origin, ValueProblem{"cannot be read: " + err.Error(), "name a readable file that holds nothing but the value"})
		return "", false
	}
	if value == "" {
		r.fault(s.name, origin, ValueProblem{"names an empty file", "write the value into it"})
	}
	return value, value != ""
}

func (r *reader) fault(name, origin string, p ValueProblem) {
	if origin == "" {
		origin = r.table
	}
	r.faults = append(r.faults, SettingFault{Setting: name, Origin: origin, Wrong: p.Wrong, Hint: p.Hint})
}

// faulty reports whether a setting has a fault already.
func (r *reader) faulty(name string) bool {
	return slices.ContainsFunc(r.faults, func(f SettingFault) bool { return f.Setting == name })
}

// parsed returns a setting as parsed by parse, or the zero value if it is not set. A
// rejected value becomes a fault that quotes it, unless it is secret.
func parsed[T any](r *reader, s setting, parse func(string) (T, *ValueProblem)) (value T) {
	text, origin, ok := r.find(s)
	if !ok || text == "" {
		return value
	}
	found, p := parse(text)
	if p == nil {
		return found
	}
	if !s.secret {
		p.Wrong = Echo(text) + p.Wrong
	}
	r.fault(s.name, origin, *p)
	return value
}

// readAll reads the settings of the needed parts, except those of accounts.
func (r *reader) readAll(need Requirement, c *Config) {
	for _, s := range settings {
		if !s.ofAccount() && (s.need == 0 || s.need&need != 0) {
			s.read(r, s, c, nil)
		}
	}
}

// require reports a setting that has to be set and is not.
func (r *reader) require(name string) {
	if r.place(name) == "" && !r.faulty(name) && Default(name) == "" {
		r.missing(name)
	}
}

// missing reports that a setting is not set, and the ways to set it.
func (r *reader) missing(name string) {
	s := settingByName(name)
	ways := []string{s.variable(), s.flag(), s.key() + " in the TOML file"}
	if s.inFile() {
		ways = slices.Insert(ways, 1, s.variable()+fileSuffix)
	}
	if r.table != "" {
		ways = []string{s.key() + " in that table"}
	}
	r.fault(name, "", ValueProblem{"is not set", "set " + strings.Join(ways, ", or ")})
}

// ParseCredential accepts a key, secret or passphrase. It is sent in a request
// header, which cannot hold line breaks; blanks at the ends are copying errors.
func ParseCredential(text string) (exchange.Secret, *ValueProblem) {
	if strings.TrimSpace(text) != text || WithoutControls(text) != text {
		return "", &ValueProblem{"begins or ends with a blank or holds a line break", "copy the value again, without them"}
	}
	return exchange.Secret(text), nil
}
