package account

import (
	"fmt"
	"strings"
	"testing"
)

func TestAgenda(t *testing.T) {
	var a agenda
	var kept []string
	if a.next() != never {
		t.Error("an empty agenda has an event")
	}
	for _, name := range []string{"5b", "3a", "5a", "4c"} {
		a.enter(int64(name[0]-'0'), func(at int64) { kept = append(kept, fmt.Sprint(at, name)) })
	}
	for a.next() != never {
		a.keepNext()
	}
	if got := strings.Join(kept, " "); got != "33a 44c 55b 55a" {
		t.Errorf("kept %q", got)
	}
}
