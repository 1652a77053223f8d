package handler

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/export"
)

// unchanged sets the ETag of a file. If the client has that file already, it answers so and
// returns true. The tag is a weak one: files of equal rows differ in when they were written.
func unchanged(s *Base, c *fiber.Ctx, state func() (string, error)) (bool, error) {
	known, err := state()
	if errors.Is(err, export.ErrNoPlace) {
		return false, err
	}
	if err != nil {
		return false, fmt.Errorf("state of a file: %w", err)
	}
	who := s.Who(c)
	tag := entityTag(s.Version, string(c.Request().RequestURI()), known, who.User, string(who.Role), who.Bound.Text(), fmt.Sprint(s.Names(c) != nil))
	c.Set(fiber.HeaderETag, tag)
	if !hasTag(c.Get(fiber.HeaderIfNoneMatch), tag) {
		return false, nil
	}
	c.Status(fiber.StatusNotModified)
	return true, nil
}

func entityTag(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return `W/"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:15]) + `"`
}

// hasTag reports whether If-None-Match has a tag, by the weak comparison.
func hasTag(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
