package identity

import (
	"context"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Logged is what the audit log says of a user.
type Logged struct {
	role, bound   string
	disabled      bool
	authenticator bool
	changed       affiliate.Millis // of the newest line about the user
	signed        affiliate.Millis // when rows of an earlier version were signed; unknown: never
}

// cutOff ends a text that is too long for the log.
const cutOff = "…"

// LoggedUsers replays the lines of the audit log about users, by folded name. Whether the lines
// themselves are authentic is another question.
func LoggedUsers(ctx context.Context, r *store.Tx) (map[string]*Logged, error) {
	all := map[string]*Logged{}
	last := func(l audit.Line) *Logged {
		name := affiliate.Folded(l.Object)
		if all[name] == nil {
			all[name] = &Logged{bound: BoundWords(affiliate.Bound{})}
		}
		return all[name]
	}
	// target is what follows "X to " in the detail of a change.
	target := func(l audit.Line) string {
		change, _, _ := strings.Cut(l.Detail, "; API tokens ended")
		_, to, _ := strings.Cut(change, " to ")
		return to
	}
	newest := map[*bool]int64{} // lines come by action, so that of two the later one holds
	set := func(at *bool, l audit.Line, to bool) {
		if l.Outcome == "" && l.ID > newest[at] {
			newest[at], *at = l.ID, to
		}
	}
	for _, action := range []struct {
		name string
		note func(*Logged, audit.Line)
	}{
		{"user added", func(u *Logged, l audit.Line) { u.role = l.Detail }},
		{"role changed", func(u *Logged, l audit.Line) { u.role = target(l) }},
		{"bound", func(u *Logged, l audit.Line) { u.bound = target(l) }},
		{"user disabled", func(u *Logged, l audit.Line) { set(&u.disabled, l, true) }},
		{"user enabled", func(u *Logged, l audit.Line) { set(&u.disabled, l, false) }},
		{"authenticator set up", func(u *Logged, l audit.Line) { set(&u.authenticator, l, true) }},
		{"authenticator reset", func(u *Logged, l audit.Line) { set(&u.authenticator, l, false) }},
		{"password set", func(*Logged, audit.Line) {}},
		{"password changed", func(*Logged, audit.Line) {}},
	} {
		for line, err := range audit.Lines(ctx, r, audit.LogQuery{Action: action.name}) {
			if err != nil {
				return nil, err
			}
			u := last(line)
			action.note(u, line)
			u.changed = max(u.changed, line.At)
		}
	}
	for line, err := range audit.Lines(ctx, r, audit.LogQuery{Action: ActionSigned}) {
		if err != nil {
			return nil, err
		}
		for _, u := range all {
			u.signed = line.At
		}
	}
	return all, nil
}

// Contradictions says in which rights the row of a user differs from the lines of the audit log, as
// phrases.
func Contradictions(all map[string]*Logged, u User) (list []string) {
	fault := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	said := all[affiliate.Folded(audit.CutText(u.Name, 300))]
	if said == nil {
		fault("no line says that the user %.60q was added", u.Name)
		return list
	}
	if said.role != u.Role {
		fault("the user %.60q has the role %.20s, and the log says %.20s", u.Name, u.Role, said.role)
	}
	if words := BoundWords(u.Bound); said.bound != words && !said.cut() {
		fault("the user %.60q is bound to %.100s, and the log says %.100s", u.Name, words, said.bound)
	}
	if said.disabled && !u.Disabled.Known() {
		fault("the user %.60q was disabled, and no line says that somebody enabled it again", u.Name)
	}
	if said.authenticator != (u.TOTP != nil) {
		fault("no line says why the authenticator of the user %.60q is there or gone", u.Name)
	}
	// A row of an earlier version has the stamp of its signing until the user is changed.
	if u.mac != nil && u.Changed != said.changed && (u.Changed != said.signed || said.signed < said.changed) {
		fault("the row of the user %.60q is of %s, and the newest line about it of %s: an earlier form of it was put back", u.Name, u.Changed, said.changed)
	}
	return list
}

// cut reports whether the list of bindings is too long for the log.
func (l *Logged) cut() bool { return strings.HasSuffix(l.bound, cutOff) }

// logged forgives a forged row of a user whose rights are those of the audit log, and the log is sound.
func logged(ctx context.Context, tx *store.Tx, u User, forged error) error {
	log, err := audit.VerifyState(ctx, tx, tx.Store().AuditKey())
	if err != nil {
		return err
	}
	all, err := LoggedUsers(ctx, tx)
	if err != nil {
		return err
	}
	u.mac = nil // from when the row is does not count
	if said := all[affiliate.Folded(u.Name)]; !log.Sound() || said == nil || said.cut() || len(Contradictions(all, u)) > 0 {
		return forged
	}
	return nil
}
