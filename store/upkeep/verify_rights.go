package upkeep

import (
	"context"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// rights is the check that whatever gives somebody a right, or fixes figures, has the lines of the
// audit log that it was written with. Passwords and their changes are not among them: the log does
// not contain them.
type rights struct {
	*store.VerifyResult
	r     *store.Tx
	lines []audit.Line
}

// verifyRights compares users, tokens, exchange accounts, closings and signing keys with the audit
// log. Whether the log itself is authentic is another check.
func verifyRights(ctx context.Context, r *store.Tx) (store.VerifyResult, error) {
	v := rights{VerifyResult: &store.VerifyResult{Check: "rights", Remedy: "somebody changed the database behind this program's back: keep a copy of it as evidence, and restore the newest sound backup"}, r: r}
	for _, action := range []string{"user added", "role changed", "bound", "user disabled", "user enabled", "authenticator set up", "authenticator reset",
		"token created", "token revoked", "account added", "month closed", "month reopened", "signing key made"} {
		for line, err := range audit.AuditLines(ctx, r, audit.LogQuery{Action: action}) {
			if err != nil {
				return *v.VerifyResult, err
			}
			v.lines = append(v.lines, line)
		}
	}
	counts := []string{}
	for _, check := range []struct {
		what string
		do   func(context.Context) (int, error)
	}{{"users", v.users}, {"tokens", v.tokens}, {"stored accounts", v.accounts}, {"closings", v.closings}, {"signing keys", v.signingKeys}} {
		n, err := check.do(ctx)
		if err != nil {
			return *v.VerifyResult, fmt.Errorf("%s: %w", check.what, err)
		}
		counts = append(counts, fmt.Sprintf("%d %s", n, check.what))
	}
	v.Seen = strings.Join(counts, ", ") + " have their lines"
	return *v.VerifyResult, nil
}

// of yields the lines of an action.
func (v *rights) of(action string, f func(audit.Line)) {
	for _, line := range v.lines {
		if line.Action == action {
			f(line)
		}
	}
}

// written reports whether a line was written with a row, in the same step.
func (v *rights) written(action, object, detail string, at affiliate.Millis) (found bool) {
	v.of(action, func(l audit.Line) {
		found = found || l.At == at && (object == "" || affiliate.Folded(l.Object) == affiliate.Folded(audit.CutText(object, 300))) && strings.HasPrefix(l.Detail, audit.CutText(detail, 1000))
	})
	return found
}

// lastUser is what the log says of a user.
type lastUser struct {
	role, bound   string
	disabled      bool
	authenticator bool
}

// known replays the lines about users, by folded name.
func (v *rights) known() map[string]*lastUser {
	all := map[string]*lastUser{}
	last := func(l audit.Line) *lastUser {
		name := affiliate.Folded(l.Object)
		if all[name] == nil {
			all[name] = &lastUser{bound: identity.BoundWords(affiliate.Bound{})}
		}
		return all[name]
	}
	// target is what follows "X to " in the detail of a change.
	target := func(l audit.Line) string {
		change, _, _ := strings.Cut(l.Detail, "; API tokens ended")
		_, to, _ := strings.Cut(change, " to ")
		return to
	}
	v.of("user added", func(l audit.Line) { last(l).role = l.Detail })
	v.of("role changed", func(l audit.Line) { last(l).role = target(l) })
	v.of("bound", func(l audit.Line) { last(l).bound = target(l) })
	for _, pair := range []struct {
		on, off string
		at      func(*lastUser) *bool
	}{
		{"user disabled", "user enabled", func(u *lastUser) *bool { return &u.disabled }},
		{"authenticator set up", "authenticator reset", func(u *lastUser) *bool { return &u.authenticator }},
	} {
		newest := map[*lastUser]int64{}
		note := func(on bool) func(audit.Line) {
			return func(l audit.Line) {
				if u := last(l); l.Outcome == "" && l.ID > newest[u] {
					newest[u], *pair.at(u) = l.ID, on
				}
			}
		}
		v.of(pair.on, note(true))
		v.of(pair.off, note(false))
	}
	return all
}

func (v *rights) users(ctx context.Context) (n int, err error) {
	known := v.known()
	rows, err := v.r.QueryContext(ctx, `SELECT name, role, bound, disabled_ms IS NOT NULL, totp IS NOT NULL FROM users ORDER BY id`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, role, bound string
		var now lastUser
		if err := rows.Scan(&name, &role, &bound, &now.disabled, &now.authenticator); err != nil {
			return n, err
		}
		n++
		said := known[affiliate.Folded(audit.CutText(name, 300))]
		if said == nil {
			v.Fault("no line says that the user %.60q was added", name)
			continue
		}
		if said.role != role {
			v.Fault("the user %.60q has the role %.20s, and the log says %.20s", name, role, said.role)
		}
		// A long list of bindings is cut off in the log.
		if words := identity.BoundWords(affiliate.ParseBound(bound)); said.bound != words && !strings.HasSuffix(said.bound, "…") {
			v.Fault("the user %.60q is bound to %.100s, and the log says %.100s", name, words, said.bound)
		}
		if said.disabled && !now.disabled {
			v.Fault("the user %.60q was disabled, and no line says that somebody enabled it again", name)
		}
		if said.authenticator != now.authenticator {
			v.Fault("no line says why the authenticator of the user %.60q is there or gone", name)
		}
	}
	return n, rows.Err()
}

func (v *rights) tokens(ctx context.Context) (n int, err error) {
	type revocation struct {
		user, name string
		at         affiliate.Millis
	}
	revoked := map[revocation]bool{}
	rows, err := v.r.QueryContext(ctx, `
		SELECT u.name, t.name, t.scopes, t.created_ms, coalesce(t.revoked_ms, 0), coalesce(t.expires_ms, 0) FROM tokens t JOIN users u ON u.id = t.user_id ORDER BY t.id`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var user, name, scopes string
		var created, ended, expires affiliate.Millis
		if err := rows.Scan(&user, &name, &scopes, &created, &ended, &expires); err != nil {
			return n, err
		}
		n++
		revoked[revocation{user, name, ended}] = true
		until := identity.Token{Expires: expires}.Until()
		if !v.written("token created", user, name+": "+scopes+", "+until, created) {
			v.Fault("no line says that the token %.60q of %.60q was created at %s with these rights and %s", name, user, created, until)
		}
	}
	v.of("token revoked", func(l audit.Line) {
		if !revoked[revocation{l.Object, l.Detail, l.At}] {
			v.Fault("the token %.60q of %.60q was revoked on %s, and is not now", l.Detail, l.Object, l.At)
		}
	})
	return n, rows.Err()
}

// accounts checks that keys go to the address that was entered.
func (v *rights) accounts(ctx context.Context) (n int, err error) {
	return v.each(ctx, `SELECT name, base_url, created_ms FROM exchange_accounts ORDER BY name`, func(name, address string, at affiliate.Millis) {
		if !v.written("account added", name, address, at) {
			v.Fault("no line says that the account %.60q was added with the address %.100q", name, address)
		}
	})
}

func (v *rights) closings(ctx context.Context) (n int, err error) {
	type act struct {
		month, action string
		at            affiliate.Millis
	}
	stored := map[act]bool{}
	n, err = v.each(ctx, `SELECT month, '', closed_ms FROM closings ORDER BY id`, func(month, _ string, at affiliate.Millis) {
		month = month[:min(len(month), len("2026-09"))]
		stored[act{month, "month closed", at}] = true
		if !v.written("month closed", month, "", at) {
			v.Fault("no line says that %s was closed at %s", month, at)
		}
	})
	if err != nil {
		return n, err
	}
	_, err = v.each(ctx, `SELECT month, '', reopened_ms FROM closings WHERE reopened_ms IS NOT NULL ORDER BY id`, func(month, _ string, at affiliate.Millis) {
		month = month[:min(len(month), len("2026-09"))]
		stored[act{month, "month reopened", at}] = true
		if !v.written("month reopened", month, "", at) {
			v.Fault("no line says that %s was reopened at %s", month, at)
		}
	})
	for _, action := range []string{"month closed", "month reopened"} {
		v.of(action, func(l audit.Line) {
			if !stored[act{l.Object, action, l.At}] {
				v.Fault("the log says of %s on %s: %s; no closing says so", l.Object, l.At, action)
			}
		})
	}
	return n, err
}

func (v *rights) signingKeys(ctx context.Context) (n int, err error) {
	n, err = v.each(ctx, `SELECT '', '', created_ms FROM signing_keys ORDER BY id`, func(_, _ string, at affiliate.Millis) {
		if !v.written("signing key made", "", "", at) {
			v.Fault("no line says that the signing key of %s was made", at)
		}
	})
	v.of("signing key made", func(audit.Line) {
		if n == 0 {
			v.Fault("the signing key of evidence packs is gone")
		}
	})
	return n, err
}

// each reads rows of two texts and an instant.
func (v *rights) each(ctx context.Context, question string, f func(one, two string, at affiliate.Millis)) (n int, err error) {
	rows, err := v.r.QueryContext(ctx, question)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var one, two string
		var at affiliate.Millis
		if err := rows.Scan(&one, &two, &at); err != nil {
			return n, err
		}
		n++
		f(one, two, at)
	}
	return n, rows.Err()
}
