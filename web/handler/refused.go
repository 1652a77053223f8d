package handler

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
)

// ExplainRefusal returns the text that a form shows for a refusal by access control,
// and sets the status of the answer. It leaves other errors alone.
func ExplainRefusal(c *fiber.Ctx, err error, wrong string) (alert string, ok bool) {
	var throttled *access.Throttled
	var rule *store.RuleError
	switch {
	case errors.Is(err, access.ErrWrong):
		c.Status(http.StatusUnauthorized)
		return wrong, true
	case errors.As(err, &throttled):
		c.Status(http.StatusTooManyRequests)
		RetryAfter(c, throttled.Seconds())
		return "There were too many attempts. Try again in " + phrase.Wait(throttled.Wait) + ".", true
	case errors.Is(err, access.ErrBusy):
		c.Status(http.StatusServiceUnavailable)
		RetryAfter(c, BusyWait)
		return "Many people are signing in at this moment. Try again in a few seconds.", true
	case errors.As(err, &rule):
		c.Status(http.StatusBadRequest)
		return rule.Problem, true
	}
	return "", false
}

const WrongCode = "The code is wrong, or was used already. Wait for the next one."

// BusyWait is the number of seconds needed to work off the waiting passwords or pages.
const BusyWait = 5

func RetryAfter(c *fiber.Ctx, seconds int64) {
	c.Set(fiber.HeaderRetryAfter, strconv.FormatInt(seconds, 10))
}

const PasswordsDiffer = "The two passwords differ."

// ProblemOf returns the text of a broken rule, and the empty string for all other
// errors.
func ProblemOf(err error) string {
	if rule := ruleOf(err); rule != nil {
		return rule.Problem
	}
	return ""
}

// ruleOf returns the rule that the entered text breaks, and nil for all other errors.
func ruleOf(err error) *store.RuleError {
	if rule, ok := errors.AsType[*store.RuleError](err); ok && !rule.Missing && !rule.Stale {
		return rule
	}
	return nil
}

// StepUpWithin is the maximum age of a code for a browser that sends orders or changes
// permissions.
const StepUpWithin = 5 * time.Minute

// Permitted refuses a known caller whose role, or whose token's scopes, do not include
// the permission.
func Permitted(who Caller, wanted access.Permission) (why access.RefusalReason, err error) {
	switch {
	case who.May(wanted):
		return "", nil
	case who.TokenID != 0 && who.Role.May(wanted):
		return access.RefusedScope, NewProblem(fiber.StatusForbidden, "This token lacks the scope that this address needs. Use a token with the scope "+scopesWith(wanted)+".")
	}
	return access.RefusedRole, NewProblem(fiber.StatusForbidden, "Only "+rolesWith(wanted)+" can do this. You are signed in as "+
		who.User+" (role: "+string(who.Role)+"). An administrator can change that.")
}

// roleNames are the names for the holders of each role.
var roleNames = map[access.Role]string{access.Viewer: "viewers", access.Manager: "managers", access.Admin: "administrators", access.Trader: "traders"}

// rolesWith lists the roles that have a permission: "managers, administrators and
// traders".
func rolesWith(p access.Permission) string {
	var names []string
	for _, role := range access.RolesWith(p) {
		names = append(names, roleNames[role])
	}
	return joined(names, "and")
}

// scopesWith lists the scopes that include a permission.
func scopesWith(p access.Permission) string {
	return joined(slices.DeleteFunc(slices.Clone(access.Scopes), func(s access.Scope) bool { return !s.May(p) }), "or")
}

// joined joins names for a sentence: "a", "a or b", "a, b or c".
func joined[T ~string](of []T, last string) string {
	words := string(of[0])
	for i, word := range of[1:] {
		if i == len(of)-2 {
			words += " " + last + " " + string(word)
		} else {
			words += ", " + string(word)
		}
	}
	return words
}
