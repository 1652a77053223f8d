package pages_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/acceptance/site"
	"rebatedesk/exchange/weex/simulator"
)

// mostUntilFigure is how long a newcomer may take from the start of the bare program to the first figure
// of their own, by the hand of a script: a person reads and types for some minutes more.
const mostUntilFigure = 90 * time.Second

// started is a program that was started with nothing set but the address on which it listens.
func started(t *testing.T, at string) (address, token string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "webapp")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "rebatedesk/cmd/webapp").CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v, %s", err, out)
	}
	command := exec.Command(program, "serve", "--listen", at)
	command.Dir = dir
	for _, one := range os.Environ() {
		if !strings.HasPrefix(one, "REBATEDESK_") {
			command.Env = append(command.Env, one)
		}
	}
	var said strings.Builder
	command.Stderr = &said
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		<-ended
		if err := command.Wait(); err != nil || t.Failed() {
			t.Errorf("serve: %v, %s", err, said.String())
		}
	})
	lines := bufio.NewScanner(stdout)
	for token == "" && lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "url: "); ok {
			address = strings.TrimSuffix(url, "/")
		}
		_, token, _ = strings.Cut(lines.Text(), "token: ")
	}
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, stdout)
	}()
	if address == "" || token == "" {
		t.Fatalf("serve says neither its address nor the token: %s", said.String())
	}
	return address, token
}

// The first five minutes: from the bare program, with nothing set, to the first figure of one's own, at an
// exchange that limits requests as the real one does. The seconds of each step are logged.
func TestBrowserFirstFigure(t *testing.T) {
	site.AllBrowsers(t, "the keyboard test of the setup sees the same pages, and TestFirstStart the same program")
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{Seed: 7, Days: 120, Invitees: 200, Records: 20_000, Live: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	box := site.OpenMailServer(t)
	address, token := started(t, "127.0.0.1:0")
	begun := time.Now()
	last := begun
	step := func(name string) {
		now := time.Now()
		t.Logf("%5.1f s  %s", now.Sub(last).Seconds(), name)
		last = now
	}
	title := func(text string) string { return `document.querySelector("h1").innerText.startsWith("` + text + `")` }
	b := site.OpenApart(t, address, site.Desktop)
	press := func(selector, arrived string) {
		t.Helper()
		site.Eval[bool](b, `(setTimeout(() => document.querySelector("`+selector+`").click()), true)`)
		b.Arrives(arrived)
	}

	b.Arrives(title("Step 1 of 7"))
	b.Fill("setup", token)
	b.Fill("username", "ada")
	b.Fill("password", site.LongWord)
	b.Fill("repeated", site.LongWord)
	press(`main button[type=submit]`, title("Step 2 of 7: protect your account"))
	step("administrator")

	code, err := totp.GenerateCode(site.KeyShown(t, site.Eval[string](b, `document.documentElement.outerHTML`)), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b.Fill("totp", code)
	press(`main button[type=submit]`, title("Step 2 of 7: keep the recovery codes"))
	press(`main a.tool`, title("Step 3 of 7"))
	step("protection")

	site.Eval[bool](b, `(document.querySelectorAll("form[action='/settings/accounts'] details").forEach((d) => { d.open = true; }), true)`)
	b.Fill("base_url", sim.BaseURL)
	b.Fill("api_key", sim.APIKey)
	b.Fill("api_secret", sim.APISecret)
	b.Fill("api_passphrase", sim.APIPassphrase)
	press(`form[action='/settings/accounts'] button[type=submit]`, `document.body.innerText.includes("everything that reports need")`)
	if !site.Eval[bool](b, `document.body.innerText.includes("The first collection has begun")`) {
		t.Error("the collection does not begin with the key")
	}
	step("exchange")

	press(`main a[href='/settings/setup?step=mail'].tool`, title("Step 4 of 7"))
	site.Eval[bool](b, `(document.querySelector("[name=security]").value = "none", true)`)
	b.Fill("host", "127.0.0.1")
	b.Fill("port", strconv.Itoa(box.Server.Port))
	b.Fill("from", "desk@example.com")
	press(`form[action='/settings/mail'] button[type=submit]`, `document.querySelector("form[action='/settings/mail/test']") !== null`)
	b.Fill("to", "ada@example.com")
	press(`form[action='/settings/mail/test'] button`, `document.body.innerText.includes("The mail server took it.")`)
	if letters := box.Letters(); len(letters) != 1 || letters[0].To != "ada@example.com" {
		t.Errorf("the mail server has %+v", letters)
	}
	step("mail")

	press(`main a[href='/settings/setup?step=names'].tool`, title("Step 5 of 7"))
	press(`form[action='/settings/setup/skip'] button`, title("Step 6 of 7"))
	press(`form[action='/settings/setup/skip'] button`, title("Step 7 of 7"))
	step("names and a colleague, left for later")

	const figure = `/[1-9]/.test(document.querySelector("#valued .front-figure")?.innerText ?? "")`
	press(`main a[href='/'].tool`, `location.pathname === "/"`)
	for !site.Eval[bool](b, figure) {
		if time.Since(begun) > mostUntilFigure {
			t.Fatalf("no figure after %s: %s", time.Since(begun), site.Eval[string](b, `document.querySelector("main").innerText.slice(0, 800)`))
		}
		time.Sleep(500 * time.Millisecond) // a person looks again; no signal leaves the program
		b.Goes(address + "/")
	}
	step("the first figure")
	t.Logf("%5.1f s  in all", time.Since(begun).Seconds())
	if taken := time.Since(begun); taken > mostUntilFigure {
		t.Errorf("it took %s, and %s is the limit", taken, mostUntilFigure)
	}
}
