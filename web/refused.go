package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/web/templates"
)

// refused says of a refusal of access control what its form says, and sets the
// status of the answer. Other errors it leaves alone.
func refused(c *fiber.Ctx, err error, wrong string) (alert string, ok bool) {
	var throttled *access.Throttled
	var rule *store.RuleError
	switch {
	case errors.Is(err, access.ErrWrong):
		c.Status(http.StatusUnauthorized)
		return wrong, true
	case errors.As(err, &throttled):
		c.Status(http.StatusTooManyRequests)
		retryAfter(c, throttled.Seconds())
		return "There were too many attempts. Try again in " + templates.Wait(throttled.Wait) + ".", true
	case errors.Is(err, access.ErrBusy):
		c.Status(http.StatusServiceUnavailable)
		retryAfter(c, busyWait)
		return "Many people are signing in at this moment. Try again in a few seconds.", true
	case errors.As(err, &rule):
		c.Status(http.StatusBadRequest)
		return rule.Problem, true
	}
	return "", false
}

const wrongCode = "The code is wrong, or was used already. Wait for the next one."

// busyWait is how many seconds it takes to work off the passwords, or the pages,
// that wait.
const busyWait = 5

func retryAfter(c *fiber.Ctx, seconds int64) {
	c.Set(fiber.HeaderRetryAfter, strconv.FormatInt(seconds, 10))
}

const passwordsDiffer = "The two passwords differ."

// problemOf is what a broken rule says, and nothing for all other errors.
func problemOf(err error) string {
	if rule := ruleOf(err); rule != nil {
		return rule.Problem
	}
	return ""
}

// ruleOf is the rule that what was typed has broken; nil for all other errors.
func ruleOf(err error) *store.RuleError {
	if rule, ok := errors.AsType[*store.RuleError](err); ok && !rule.Missing && !rule.Stale {
		return rule
	}
	return nil
}
