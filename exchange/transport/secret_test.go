package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretIsNeverShown(t *testing.T) {
	cfg := Config{Key: canaryKey, Secret: canarySecret, Passphrase: canaryPassphrase}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s", "%T"} {
		fmt.Fprintf(&out, verb+"\n", canarySecret)
		fmt.Fprintf(&out, verb+"\n", cfg)
		fmt.Fprintf(&out, verb+"\n", &cfg)
		fmt.Fprintf(&out, verb+"\n", map[Secret]Secret{canaryKey: canarySecret})
	}
	fmt.Fprintln(&out, canarySecret, []Secret{canarySecret}, canarySecret.String(), canarySecret.GoString())
	text, err := json.Marshal(map[string]any{"a": canarySecret})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "secret", canarySecret, "all", []Secret{canaryKey}, "cfg", cfg.Key)
	}
	assertNoCanary(t, out.String())
	if !strings.Contains(out.String(), redacted) {
		t.Error("the text does not show that something was omitted")
	}
	if canarySecret.Reveal() != string(canarySecret) {
		t.Error("Reveal does not return the text")
	}
}
