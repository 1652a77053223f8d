package attention

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every type of finding has a kind of its own.
func TestKinds(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	types, kinds := regexp.MustCompile(`(?m)^type (\w+)Finding struct`), FindingKinds()
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range types.FindAllStringSubmatch(string(text), -1) {
			if kind := strings.ToLower(found[1]); !slices.Contains(kinds, kind) {
				t.Errorf("%s is missing from the list of kinds", found[1])
			} else {
				kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == kind })
			}
		}
	}
	if len(kinds) > 0 {
		t.Errorf("no type has the kinds %q", kinds)
	}
}
