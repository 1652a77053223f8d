package site

import (
	"regexp"
)

var (
	rankingPart = regexp.MustCompile(`(?s)<section [^>]*aria-labelledby="ranking-(\w+)">(.*?)</section>`)
)

// RankingsOn returns the parts of the overview that rank something, by what they rank.
func RankingsOn(page string) map[string]string {
	parts := map[string]string{}
	for _, part := range rankingPart.FindAllStringSubmatch(page, -1) {
		parts[part[1]] = part[2]
	}
	return parts
}

// SomeCode returns the invite code that earned most.
func (o *Site) SomeCode(v *Visitor) string {
	o.Helper()
	part := RankingsOn(v.Get("/").Body)["code"]
	found := regexp.MustCompile(`/codes\?code=([^&"]+)`).FindStringSubmatch(part)
	if found == nil {
		o.Fatal("the overview ranks no code")
	}
	return found[1]
}
