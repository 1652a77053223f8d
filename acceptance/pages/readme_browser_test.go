package pages_test

import (
	"image/png"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/internal/outside"
)

// ofReadme are the pages that README shows, with what is true of each once it is complete.
var ofReadme = []struct{ name, path, complete string }{
	{"overview", "/", `document.querySelector("#attention h3") !== null`},
	{"payments", "/payments", `document.querySelector("h1") !== null`},
	{"drivers", "/drivers", `document.querySelector("#answer") !== null`},
}

// readmeScreen is the size of the pictures, and schemes are the colours of each.
var (
	readmeScreen = site.Screen{Name: "readme", Width: 1366, Height: 900}
	schemes      = map[string]bool{"light": false, "dark": true}
)

// README shows exactly these pictures, in both colour schemes, and all of them are there, of the size
// of the window, and small.
func TestReadmeShowsPages(t *testing.T) {
	t.Parallel()
	const most = 250_000 // bytes
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	made, shown := map[string]bool{}, map[string]bool{}
	for _, p := range ofReadme {
		for scheme := range schemes {
			made["docs/"+p.name+"-"+scheme+".png"] = true
		}
	}
	for _, found := range regexp.MustCompile(`docs/[\w-]+\.(?:png|webp|jpe?g)`).FindAllString(string(readme), -1) {
		shown[found] = true
	}
	if !maps.Equal(made, shown) {
		t.Errorf("README shows %v, and make pictures makes %v", slices.Sorted(maps.Keys(shown)), slices.Sorted(maps.Keys(made)))
	}
	for name := range made {
		f, err := os.Open(filepath.Join("../..", name))
		if err != nil {
			t.Error(err)
			continue
		}
		about, statErr := f.Stat()
		size, err := png.DecodeConfig(f)
		_ = f.Close()
		if err != nil || statErr != nil {
			t.Errorf("%s: %v, %v", name, err, statErr)
			continue
		}
		if int64(size.Width) != readmeScreen.Width || int64(size.Height) != readmeScreen.Height || about.Size() > most {
			t.Errorf("%s has %d × %d pixels and %d bytes", name, size.Width, size.Height, about.Size())
		}
	}
}

// make pictures runs this test with the binary, whose demo always has the same seed: it
// photographs the pages for README once everything is collected.
func TestBrowserReadme(t *testing.T) {
	program := os.Getenv("REBATEDESK_PICTURES")
	if program == "" {
		t.Skip("make pictures photographs the pages of README")
	}
	listen := "127.0.0.1:" + site.FreePort(t)
	defer outside.Start(t, exec.Command(program, "demo", "--listen", listen))()
	address := "http://" + listen
	site.Soon(t, "the demo answers", func() bool {
		answer, err := http.Get(address + "/healthz")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	b := site.NewTab(t, address, site.Fresh)
	b.Look(readmeScreen)
	b.Goes(address + "/login")
	site.Eval[bool](b, `(setTimeout(() => document.querySelector("form[action^='/login/demo'] button").click()), true)`)
	b.Arrives(`location.pathname === "/"`)
	const collected = `document.querySelector("#progress") !== null && document.querySelector("#progress progress") === null && document.querySelector("#valued") !== null`
	for end := time.Now().Add(5 * time.Minute); !site.Eval[bool](b, collected); time.Sleep(time.Second) {
		if time.Now().After(end) {
			t.Fatal("the first collection does not end")
		}
		b.Goes(address + "/")
	}
	for _, p := range ofReadme {
		for scheme, dark := range schemes {
			s := readmeScreen
			s.Dark = dark
			b.Look(s)
			b.Goes(address + p.path)
			b.Until(p.complete)
			site.Eval[bool](b, `(document.querySelector("form[action='/hints/away'] button")?.click(), true)`) // as a reader does
			b.Arrives(`document.querySelector("form[action='/hints/away']") === null`)
			b.Until(p.complete)
			b.Still()
			if err := os.WriteFile("../../docs/"+p.name+"-"+scheme+".png", site.ValueOf(b, chromedp.CaptureScreenshot()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
