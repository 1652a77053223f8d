package golden

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// block is the side of the squares that pictures are compared by, in pixels. Within one, edges of
// letters may be smoothed differently.
const block = 8

// strayed is how far the mean colour of a square may differ, of 255.
const strayed = 20

// pictures is how many are taken at most: a busy browser smooths letters of the first one otherwise.
const pictures = 5

// Picture fails the test if a PNG does not look like testdata/name: if its size differs, or if the
// mean colour of more than one square of a thousand does. The picture is then in t.ArtifactDir.
func Picture(t *testing.T, name string, take func() []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, take(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	was := decode(t, stored)
	var got []byte
	var said string
	for range pictures {
		got = take()
		if said = differences(was, decode(t, got)); said == "" {
			return
		}
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), filepath.Base(name)), got, 0o644); err != nil {
		t.Error(err)
	}
	t.Errorf("%s: %s. Look at it with -artifacts; -update takes it over.", path, said)
}

// differences says how a picture differs from the one before, "" if it does not.
func differences(was, is image.Image) string {
	squares, differ := 0, 0
	first := image.Point{}
	if was.Bounds() == is.Bounds() {
		for y := 0; y < is.Bounds().Dy(); y += block {
			for x := 0; x < is.Bounds().Dx(); x += block {
				squares++
				if apart(mean(was, x, y), mean(is, x, y)) {
					if differ == 0 {
						first = image.Pt(x, y)
					}
					differ++
				}
			}
		}
	}
	if squares > 0 && differ*1000 <= squares {
		return ""
	}
	return fmt.Sprintf("the picture has %v and had %v; %d of %d squares differ, the first at %v", is.Bounds().Size(), was.Bounds().Size(), differ, squares, first)
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// mean returns the mean colour of a square.
func mean(of image.Image, x, y int) [3]int {
	var sum [3]int
	n := 0
	for dy := range block {
		for dx := range block {
			if at := image.Pt(x+dx, y+dy); at.In(of.Bounds()) {
				c := color.NRGBAModel.Convert(of.At(at.X, at.Y)).(color.NRGBA)
				sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
				n++
			}
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
}

func apart(a, b [3]int) bool {
	for i := range a {
		if d := a[i] - b[i]; d > strayed || d < -strayed {
			return true
		}
	}
	return false
}
