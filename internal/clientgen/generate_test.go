package clientgen_test

import (
	"os"
	"testing"

	"rebatedesk/internal/clientgen"
	"rebatedesk/internal/golden"
)

// The client in the repository is the one that its description gives.
func TestClientIsFresh(t *testing.T) {
	text, err := os.ReadFile("../../client/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	code, err := clientgen.Generate(text)
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "../../../client/generated.go", code)
}
