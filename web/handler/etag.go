package handler

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
)

// unchanged sets the ETag of a file. If the client has that file already, it answers so and
// returns true. The tag is a weak one: files of equal rows differ in when they were written.
func unchanged(ctx context.Context, s *Base, c *fiber.Ctx, file any) (bool, error) {
	of, ok := file.(*reports.Export)
	if !ok {
		return false, nil // only reports know before they are written which state they show
	}
	state, err := of.State(ctx)
	if err != nil {
		return false, fmt.Errorf("state of a file: %w", err)
	}
	who := s.Who(c)
	tag := entityTag(s.Version, string(c.Request().RequestURI()), state, who.User, string(who.Role), who.Bound.Text(), fmt.Sprint(s.Names(c) != nil))
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
