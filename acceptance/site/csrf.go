package site

import (
	"crypto/sha256"
	"fmt"
	"os"
)

// Written returns a fingerprint of everything that the store ever wrote. Every write
// changes it.
func (o *Site) Written() string {
	o.Helper()
	hash := sha256.New()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(o.Path + suffix)
		if err != nil {
			o.Fatal(err)
		}
		fmt.Fprintf(hash, "%d %s", len(content), content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}
