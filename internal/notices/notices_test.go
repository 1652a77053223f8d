package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Each linked module and each package of the pages has a licence that is accepted, and the file
// names them with its text.
func TestLicencesOfWhatIsLinked(t *testing.T) {
	t.Parallel()
	text, err := notice(filepath.Join("..", ".."), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github.com/gofiber/fiber/v2 v2", "github.com/mitchellh/colorstring", "echarts 6", "Go, with its standard library", "Apache License", "SIL OPEN FONT LICENSE"} {
		if !strings.Contains(string(text), name) {
			t.Errorf("NOTICE does not have %q", name)
		}
	}
}

// A module without a licence file stops the build of the notice.
func TestNoLicenceFile(t *testing.T) {
	t.Parallel()
	if _, err := licences("nobody", t.TempDir(), nil); err == nil {
		t.Error("no licence is taken for one")
	}
}

// A licence that is refused, or that nobody has read, stops it too.
func TestLicencesThatAreNotAccepted(t *testing.T) {
	t.Parallel()
	const mit = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software and associated documentation files"
	for text, want := range map[string]string{
		mit:                                    "",
		"All rights reserved. Ask before use.": "not known",
		"                    GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007":                                              "not accepted",
		mit + "\n\nGNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3":                                                                  "not accepted",
		"\"Commons Clause\" License Condition v1.0\n\n" + mit:                                                                     "not accepted",
		"Mozilla Public License, version 2.0\n\n1.12. Secondary License means either the GNU General Public License, Version 2.0": "",
	} {
		err := accept(part{name: "some/module", text: text})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
