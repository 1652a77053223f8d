package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // a format of logos
	"image/png"
	"io"
	"os"

	scaling "golang.org/x/image/draw"
)

const (
	logoBytes  = 4 << 20 // of a file
	logoSide   = 8000    // pixels of a picture
	logoPixels = 720     // at most of a side as it is printed: 300 dots an inch
)

// Logo is the picture of a letterhead. The zero Logo is none.
type Logo struct {
	png           []byte // opaque, eight bits a colour
	width, height int
}

// ReadLogo reads a PNG or JPEG file. Its errors name the file and what to do.
func ReadLogo(name string) (Logo, error) {
	file, err := os.Open(name)
	if err != nil {
		return Logo{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, logoBytes+1))
	if err != nil {
		return Logo{}, err
	}
	logo, err := ParseLogo(data)
	if err != nil {
		return Logo{}, fmt.Errorf("%s: %w", name, err)
	}
	return logo, nil
}

// ParseLogo makes a logo from the bytes of a PNG or JPEG file. It is put on white and made
// smaller if it has more points than are printed.
func ParseLogo(data []byte) (Logo, error) {
	if len(data) > logoBytes {
		return Logo{}, fmt.Errorf("the logo is larger than %d MiB: make it smaller", logoBytes>>20)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || format != "png" && format != "jpeg" {
		return Logo{}, errors.New("the logo is not a PNG or JPEG file: convert it to PNG")
	}
	if config.Width > logoSide || config.Height > logoSide || config.Width < 1 || config.Height < 1 {
		return Logo{}, fmt.Errorf("the logo has %d × %d pixels: make it smaller than %d × %d", config.Width, config.Height, logoSide, logoSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return Logo{}, fmt.Errorf("the logo is damaged (%w): save it again as PNG", err)
	}
	width, height := config.Width, config.Height
	if longer := max(width, height); longer > logoPixels {
		width, height = max(1, width*logoPixels/longer), max(1, height*logoPixels/longer)
	}
	paper := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(paper, paper.Bounds(), image.White, image.Point{}, draw.Src)
	scaling.CatmullRom.Scale(paper, paper.Bounds(), picture, picture.Bounds(), draw.Over, nil)
	var out bytes.Buffer
	if err := png.Encode(&out, paper); err != nil {
		return Logo{}, err
	}
	return Logo{png: out.Bytes(), width: width, height: height}, nil
}

// fit is the size in which the logo fills a box without being distorted.
func (l Logo) fit(width, height float64) (float64, float64) {
	scale := min(width/float64(l.width), height/float64(l.height))
	return float64(l.width) * scale, float64(l.height) * scale
}
