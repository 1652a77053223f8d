package main

import (
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

const (
	root        = "../.."
	mostOfAFile = 250_000 // bytes
)

// README shows exactly the pictures that this command makes, in both colour schemes, and all of
// them are there, of the size of the window, and small.
func TestReadmeShowsThesePictures(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	made, shown := map[string]bool{}, map[string]bool{}
	for _, p := range pictures {
		for _, scheme := range schemes {
			made[file(p.Name, scheme)] = true
		}
	}
	for _, found := range regexp.MustCompile(`docs/[\w-]+\.(?:png|webp|jpe?g)`).FindAllString(string(readme), -1) {
		shown[found] = true
	}
	if !maps.Equal(made, shown) {
		t.Errorf("README shows %v; the command makes %v", slices.Sorted(maps.Keys(shown)), slices.Sorted(maps.Keys(made)))
	}
	for name := range made {
		f, err := os.Open(filepath.Join(root, name))
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
		if size.Width != width || size.Height != height || about.Size() > mostOfAFile {
			t.Errorf("%s has %d × %d pixels and %d bytes", name, size.Width, size.Height, about.Size())
		}
	}
}
