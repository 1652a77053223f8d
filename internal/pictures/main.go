// Command pictures makes the pictures of README: it starts the demo, whose simulator always has
// the same seed, waits until everything is collected, and photographs pages in light and dark.
// It needs Chromium and the binary of the program.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// picture is a page of README.
type picture struct {
	Name string // of the files, docs/NAME-light.png and docs/NAME-dark.png
	Path string
	Wait string // becomes true in the page once it is complete
}

// pictures are all pictures of README.
var pictures = []picture{
	{"overview", "/", `document.querySelector("#attention h3") !== null`},
	{"payments", "/payments", `document.querySelector("h1") !== null`},
	{"drivers", "/drivers", `document.querySelector("#answer") !== null`},
}

// schemes are the colour schemes of each picture.
var schemes = []string{"light", "dark"}

// file returns the path of a picture in the repository.
func file(name, scheme string) string { return filepath.Join("docs", name+"-"+scheme+".png") }

const (
	width, height = 1366, 900
	patience      = 5 * time.Minute // of the demo's first collection, and of all pictures
	settled       = 2 * time.Second // in which charts are drawn
	pause         = 100 * time.Millisecond
	fewColours    = 128
)

func main() {
	program := flag.String("program", "./webapp", "the `binary`")
	flag.Parse()
	if err := run(*program); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(program string) (err error) {
	ctx, stop := context.WithTimeout(context.Background(), 2*patience)
	defer stop()
	address, end, err := startDemo(ctx, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.Flag("disable-quic", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, stopBrowser := chromedp.NewExecAllocator(ctx, flags...)
	defer stopBrowser()
	tab, leave := chromedp.NewContext(allocator)
	defer leave()
	if err := comeIn(tab, address); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	if err := collected(tab, address); err != nil {
		return fmt.Errorf("first collection: %w", err)
	}
	for _, p := range pictures {
		for _, scheme := range schemes {
			if err := take(tab, address, p, scheme); err != nil {
				return fmt.Errorf("%s in %s: %w", p.Name, scheme, err)
			}
		}
	}
	return nil
}

// startDemo starts the demo on a free port. end stops it and waits for it.
func startDemo(ctx context.Context, program string) (address string, end func() error, err error) {
	demo := exec.CommandContext(ctx, program, "demo", "--listen", "127.0.0.1:0")
	out, err := demo.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	var log bytes.Buffer
	demo.Stderr = &log
	if err := demo.Start(); err != nil {
		return "", nil, err
	}
	end = func() error {
		if err := demo.Process.Signal(os.Interrupt); err != nil {
			return err
		}
		if err := demo.Wait(); err != nil {
			return fmt.Errorf("the demo: %w: %s", err, log.Bytes())
		}
		return nil
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found, ok := strings.CutPrefix(lines.Text(), "url: "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return strings.TrimSuffix(found, "/"), end, nil
		}
	}
	return "", nil, errors.Join(fmt.Errorf("the demo printed no address: %s", log.Bytes()), demo.Wait())
}

func comeIn(tab context.Context, address string) error {
	if err := chromedp.Do(tab, chromedp.Navigate(address+"/login")); err != nil {
		return err
	}
	if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](`setTimeout(() => document.querySelector("form[action^='/login/demo'] button").click()), true`)); err != nil {
		return err
	}
	return until(tab, `location.pathname === "/" && document.querySelector("h1") !== null`)
}

// collected waits until the first collection is over.
func collected(tab context.Context, address string) error {
	for deadline := time.Now().Add(patience); ; {
		if err := chromedp.Do(tab, chromedp.Navigate(address+"/")); err != nil {
			return err
		}
		over, err := chromedp.Run(tab, chromedp.Evaluate[bool](`document.querySelector("#progress") !== null && document.querySelector("#progress").children.length === 0 && document.querySelector("#valued") !== null`))
		if err != nil || over {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("it takes too long")
		}
		time.Sleep(time.Second)
	}
}

// until waits for an expression to become true. A page that gives way to another one takes the
// question with it, so it is asked again.
func until(tab context.Context, expression string) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(pause) {
		reached, err := chromedp.Run(tab, chromedp.Evaluate[bool](expression))
		switch {
		case err == nil && reached:
			return nil
		case time.Now().After(deadline) && err == nil:
			return fmt.Errorf("it does not become true: %s", expression)
		case time.Now().After(deadline) || tab.Err() != nil:
			return errors.Join(err, tab.Err())
		}
	}
}

func call[P, R any](tab context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(tab, command, params)
	return err
}

func take(tab context.Context, address string, p picture, scheme string) error {
	err := errors.Join(
		call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}),
		call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}),
		chromedp.Do(tab, chromedp.Navigate(address+p.Path)),
		until(tab, p.Wait),
		withoutHint(tab),
		until(tab, p.Wait))
	if err != nil {
		return err
	}
	time.Sleep(settled)
	shot, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	small, err := indexed(shot)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d kB\n", file(p.Name, scheme), len(small)/1000)
	return os.WriteFile(file(p.Name, scheme), small, 0o644)
}

// withoutHint puts the hint of a first visit away, as a reader does.
func withoutHint(tab context.Context) error {
	_, err := chromedp.Run(tab, chromedp.Evaluate[bool](`document.querySelector("form[action='/hints/away'] button")?.click(), true`))
	return errors.Join(err, until(tab, `document.querySelector("form[action='/hints/away']") === null`))
}

// indexed returns a picture with few colours, which takes a third of the bytes: a page has few,
// besides the edges of its letters.
func indexed(shot []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	few := image.NewPaletted(full.Bounds(), paletteOf(full))
	draw.Draw(few, few.Bounds(), full, full.Bounds().Min, draw.Src)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few)
	return out.Bytes(), err
}

// paletteOf returns the most frequent colours, of those that look alike only one.
func paletteOf(page image.Image) color.Palette {
	count := map[color.RGBA]int{}
	b := page.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[color.RGBAModel.Convert(page.At(x, y)).(color.RGBA)]++
		}
	}
	var palette color.Palette
	for len(palette) < fewColours {
		best, most := color.RGBA{}, 0
		for c, n := range count {
			if n > most || n == most && before(c, best) {
				best, most = c, n
			}
		}
		if most == 0 {
			break
		}
		palette = append(palette, best)
		for c := range count {
			if near(c, best) {
				delete(count, c)
			}
		}
	}
	return palette
}

func before(a, b color.RGBA) bool {
	return a.R < b.R || a.R == b.R && (a.G < b.G || a.G == b.G && a.B < b.B)
}

// near reports whether nobody tells two colours apart in a letter.
func near(a, b color.RGBA) bool {
	far := func(a, b uint8) int { d := int(a) - int(b); return d * d }
	return far(a.R, b.R)+far(a.G, b.G)+far(a.B, b.B) <= 3*9
}
