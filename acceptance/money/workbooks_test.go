package money_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/internal/outside"
	"rebatedesk/store/storetest"
)

// exceljs, which is strict about the parts of a workbook, opens those of every page. Where it is
// installed stands in REBATEDESK_EXCELJS.
func TestOutsideExceljs(t *testing.T) {
	t.Parallel()
	node := outside.Program(t, "node")
	installed := outside.File(t, "REBATEDESK_EXCELJS")
	script, err := filepath.Abs("../../internal/outside/exceljs.mjs")
	storetest.Done(t, err)
	h := site.OpenSharedSite(t)
	dir := t.TempDir()
	arguments := []string{script}
	for _, p := range append(site.EveryPage, site.ReportPage{Name: "people file", Files: "/people/import"}, site.ReportPage{Name: "month", Files: "/months/:month"}) {
		if p.Files == "" {
			continue
		}
		path := strings.NewReplacer(":month", "2026-10").Replace(h.At(p.Files)) + ".xlsx"
		a := site.Get(t, path)
		if a.StatusCode != 200 {
			t.Errorf("%s: status %d", path, a.StatusCode)
			continue
		}
		file := filepath.Join(dir, strings.ReplaceAll(p.Name, " ", "-")+".xlsx")
		storetest.Done(t, os.WriteFile(file, []byte(a.Body), 0o600))
		arguments = append(arguments, file)
	}
	if len(arguments) < 12 {
		t.Errorf("%d workbooks", len(arguments)-1)
	}
	command := exec.Command(node, arguments...)
	command.Dir = installed
	if said, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
