package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/internal/outside"
)

// systemd takes the unit, alone and as one of several nodes, and with the lines that let it listen on
// port 443; it rates the restrictions as it did when they were chosen.
func TestOutsideUnit(t *testing.T) {
	t.Parallel()
	program := outside.Program(t, "systemd-analyze")
	content, err := os.ReadFile(filepath.FromSlash("../../deploy/rebatedesk.service"))
	if err != nil {
		t.Fatal(err)
	}
	unit := strings.ReplaceAll(string(content), "/usr/local/bin/webapp", "/bin/true") // it has to exist
	low := unit
	for _, line := range []string{"CapabilityBoundingSet=CAP_NET_BIND_SERVICE", "AmbientCapabilities=CAP_NET_BIND_SERVICE", "PrivateUsers=no"} {
		name, _, _ := strings.Cut(line, "=")
		if !strings.Contains(unit, "#   "+line+"\n") {
			t.Errorf("the unit does not say %s", line)
		}
		for _, set := range []string{name + "=\n", name + "=yes\n"} {
			low = strings.ReplaceAll(low, "\n"+set, "\n"+line+"\n")
		}
	}
	node, err := os.ReadFile(filepath.FromSlash("../../deploy/rebatedesk@.service.d/node.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"rebatedesk.service": unit, "rebatedesk-443.service": low, "rebatedesk@8081.service": unit + "\n" + string(node)} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		write(t, path, text)
		if said, err := exec.Command(program, "verify", "--man=no", "--recursive-errors=no", path).CombinedOutput(); err != nil || strings.Contains(string(said), name) {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
	path := filepath.Join(t.TempDir(), "rebatedesk.service")
	write(t, path, unit)
	if said, err := exec.Command(program, "security", "--offline=true", "--threshold=15", path).CombinedOutput(); err != nil {
		t.Errorf("the restrictions are rated worse than 1.5: %v\n%s", err, said)
	}
}
