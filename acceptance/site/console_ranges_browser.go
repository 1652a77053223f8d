package site

import (
	"os"
	"path/filepath"
	"time"

	downloads "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Saves presses a link to a file and returns the name and the content of what the browser saved.
func (b *Tab) Saves(selector string) (name, content string) {
	b.T.Helper()
	dir := b.T.TempDir()
	Call(b, downloads.SetDownloadBehavior, downloads.SetDownloadBehaviorParams{
		Behavior: downloads.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(b.Ctx).BrowserContextID, DownloadPath: dir})
	b.Press(selector)
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		// A file gets its name when it is complete.
		if names, _ := filepath.Glob(filepath.Join(dir, "*.csv")); len(names) == 1 {
			body, err := os.ReadFile(names[0])
			if err != nil {
				b.T.Fatal(err)
			}
			return filepath.Base(names[0]), string(body)
		}
	}
	b.T.Fatalf("%s never saves a file", selector)
	return "", ""
}
