package upkeep

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// rights is the check that whatever gives someone a right, or fixes figures, has the lines of the
// audit log that it was written with. Passwords are not among them: the log does not contain them, see
// [identity.VerifySigned].
type rights struct {
	*store.VerifyResult
	r     *store.Tx
	lines []audit.Line
}

// verifyRights compares users, tokens, exchange accounts, closings and signing keys with the audit
// log. Whether the log itself is authentic is another check.
func verifyRights(ctx context.Context, r *store.Tx) (store.VerifyResult, error) {
	v := rights{VerifyResult: &store.VerifyResult{Check: "rights", Remedy: "somebody changed the database behind this program's back: keep a copy of it as evidence, and restore the newest sound backup"}, r: r}
	for _, action := range []string{"role changed", "user disabled", "authenticator set up", "authenticator reset", "password set", "password changed", "token created", "token revoked", "account added", "month closed", "month reopened", "signing key made"} {
		for line, err := range audit.Lines(ctx, r, audit.LogQuery{Action: action}) {
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

// createdBefore looks for the line of a token from before tokens had an expiry, which ends with its
// rights.
func (v *rights) createdBefore(user, detail string, at affiliate.Millis) (found bool) {
	v.of("token created", func(l audit.Line) {
		found = found || l.At == at && affiliate.Folded(l.Object) == affiliate.Folded(user) && l.Detail == audit.CutText(detail, 1000)
	})
	return found
}

// written reports whether a line was written with a row, in the same step.
func (v *rights) written(action, object, detail string, at affiliate.Millis) (found bool) {
	v.of(action, func(l audit.Line) {
		found = found || l.At == at && (object == "" || affiliate.Folded(l.Object) == affiliate.Folded(audit.CutText(object, 300))) && strings.HasPrefix(l.Detail, audit.CutText(detail, 1000))
	})
	return found
}

func (v *rights) users(ctx context.Context) (int, error) {
	logged, err := identity.LoggedUsers(ctx, v.r)
	if err != nil {
		return 0, err
	}
	users, err := identity.UsersIn(ctx, v.r)
	for _, u := range users {
		for _, fault := range identity.Contradictions(logged, u) {
			v.Fault("%s", fault)
		}
	}
	return len(users), err
}

func (v *rights) tokens(ctx context.Context) (n int, err error) {
	type revocation struct {
		user, name string
		at         affiliate.Millis
	}
	revoked := map[revocation]bool{}
	type ending struct {
		user string // folded
		at   affiliate.Millis
	}
	together := map[ending]int{} // tokens of a user that ended at once
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
		together[ending{affiliate.Folded(user), ended}]++
		if !v.written("token created", user, name+": "+scopes+", "+until, created) && !v.createdBefore(user, name+": "+scopes, created) {
			v.Fault("no line says that the token %.60q of %.60q was created at %s with these rights and %s", name, user, created, until)
		}
	}
	v.of("token revoked", func(l audit.Line) {
		if !revoked[revocation{l.Object, l.Detail, l.At}] {
			v.Fault("the token %.60q of %.60q was revoked on %s, and is not now", l.Detail, l.Object, l.At)
		}
	})
	for _, line := range v.lines {
		_, rest, _ := strings.Cut(line.Detail, identity.TokensEnded)
		count, _, _ := strings.Cut(rest, ";")
		if n, err := strconv.Atoi(count); err == nil && together[ending{affiliate.Folded(line.Object), line.At}] < n {
			v.Fault("%d API tokens of %.60q ended on %s, and some of them do not say so now", n, line.Object, line.At)
		}
	}
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
