// Command notices writes the file NOTICE: every Go module and every front-end package that
// is part of the program, with the text of its licence. It fails if one of them has no licence
// that this program may be distributed with. It needs the module cache and no network.
//
// NOTICE is made for a release ("make release") and is not kept in the repository.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are the operating systems for which the program is built. Some modules are linked
// on only one of them.
var systems = []string{"linux", "darwin", "windows"}

// frontEnd lists the npm packages of which web/static contains parts. Their licences are
// kept in web/assets/licences, so that Node is not needed here. It contains no fonts: pages
// use those of the machine.
var frontEnd = []string{"daisyui", "echarts", "htmx.org", "tailwindcss", "tslib", "zrender"}

// elsewhere lists licences to which a module's licence file only points.
var elsewhere = map[string][]string{
	"echarts": {"licenses/LICENSE-d3"},
}

// licenceFile matches the names of licence files and of files that must accompany them.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([-.].*)?$`)

// part is a component of the program.
type part struct{ name, version, text string }

func main() {
	text, err := notice(".", true)
	if err == nil {
		err = os.WriteFile("NOTICE", text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// notice returns the file for the repository at root. With renew, the stored licences of
// the front end are replaced by those of web/assets/node_modules if it exists.
func notice(root string, renew bool) ([]byte, error) {
	modules, err := linked(root)
	if err != nil {
		return nil, err
	}
	pages, err := bundled(filepath.Join(root, "web", "assets"), renew)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("Rebatedesk holds the following works of others. Their names and versions stand\n" +
		"before the text of their licence. This file is made by \"make notice\".\n")
	parts := append(modules, pages...)
	for _, p := range parts {
		err = errors.Join(err, accept(p))
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	for i, p := range parts {
		if slices.ContainsFunc(parts[:i], func(before part) bool { return before.text == p.text }) {
			continue // it is covered by those
		}
		out.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, same := range parts[i:] {
			if same.text == p.text {
				out.WriteString(strings.TrimSpace(same.name+" "+same.version) + "\n")
			}
		}
		out.WriteString(strings.Repeat("-", 80) + "\n" + p.text)
	}
	return out.Bytes(), nil
}

// accepted are the licences that allow this program to be distributed, each by words that only
// its own text has, in lower case and with single spaces.
var accepted = map[string]string{
	"Apache-2.0":          "apache license version 2.0",
	"BSD":                 "redistribution and use in source and binary forms, with or without modification, are permitted",
	"ISC and 0BSD":        "permission to use, copy, modify, and/or distribute this software for any purpose",
	"MIT":                 "permission is hereby granted, free of charge, to any person obtaining a copy of this software",
	"MPL-2.0":             "mozilla public license, version 2.0",
	"OFL-1.1":             "sil open font license version 1.1",
	"Apache-2.0, by name": "licensed under the apache license, version 2.0",
}

// refused matches the titles of licences with conditions that this program does not meet.
var refused = regexp.MustCompile(`(?im)^\W*(GNU (AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC LICENSE|Server Side Public License|Business Source License|Elastic License|.*Commons Clause)\b.*$`)

// accept returns an error if a component has a licence that is refused, or none that is accepted.
func accept(p part) error {
	if title := refused.FindString(p.text); title != "" {
		return fmt.Errorf("%s has a licence that is not accepted: %q", p.name, strings.TrimSpace(title))
	}
	words := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(p.text, "\n//", "\n")), " "))
	for _, phrase := range accepted {
		if strings.Contains(words, phrase) {
			return nil
		}
	}
	return fmt.Errorf("the licence of %s is not known: read it, and name it in internal/notices if it can be accepted", p.name)
}

// linkedPackage is a line of go list.
type linkedPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// linked returns Go itself and the modules with a linked package.
func linked(root string) ([]part, error) {
	files := map[string]map[string]bool{} // directories to search, by module
	versions, dirs := map[string]string{}, map[string]string{}
	for _, system := range systems {
		list := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/webapp")
		list.Dir = root
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		text, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for d := json.NewDecoder(bytes.NewReader(text)); ; {
			var p linkedPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := p.Module
			versions[m.Path], dirs[m.Path] = m.Version, m.Dir
			if files[m.Path] == nil {
				files[m.Path] = map[string]bool{}
			}
			for dir := p.Dir; len(dir) >= len(m.Dir); dir = filepath.Dir(dir) {
				files[m.Path][dir] = true
			}
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	text, err := licences("Go", strings.TrimSpace(string(goroot)), nil)
	parts := []part{{"Go, with its standard library", "", text}}
	for name := range versions {
		folders := []string{}
		for dir := range files[name] {
			folders = append(folders, dir)
		}
		text, wrong := licences(name, dirs[name], folders)
		err = errors.Join(err, wrong)
		parts = append(parts, part{name, versions[name], text})
	}
	return parts, err
}

// licences returns the texts of the licence files in a directory and in some directories
// below it.
func licences(name, top string, below []string) (string, error) {
	paths := []string{}
	for _, file := range elsewhere[name] {
		paths = append(paths, filepath.Join(top, filepath.FromSlash(file)))
	}
	for _, dir := range append(below, top) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && licenceFile.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
				paths = append(paths, filepath.Join(dir, entry.Name()))
			}
		}
	}
	slices.Sort(paths)
	var texts []string
	for _, path := range slices.Compact(paths) {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))+"\n")
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s has no licence file: look what it may be used under, and name it in internal/notices", name)
	}
	return strings.Join(texts, "\n"), nil
}

// bundled returns the packages of the front end.
func bundled(assets string, renew bool) (parts []part, err error) {
	lock, err := os.ReadFile(filepath.Join(assets, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var locked struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(lock, &locked); err != nil {
		return nil, err
	}
	for _, name := range frontEnd {
		version := locked.Packages["node_modules/"+name].Version
		if version == "" {
			return nil, fmt.Errorf("package-lock.json has no %s", name)
		}
		kept := filepath.Join(assets, "licences", name+".txt")
		installed := filepath.Join(assets, "node_modules", filepath.FromSlash(name))
		if _, err := os.Stat(installed); renew && !errors.Is(err, fs.ErrNotExist) {
			text, err := licences(name, installed, nil)
			if err == nil {
				err = os.WriteFile(kept, []byte(text), 0o644)
			}
			if err != nil {
				return nil, err
			}
		}
		text, err := os.ReadFile(kept)
		if err != nil {
			return nil, fmt.Errorf("%w; make generate writes it", err)
		}
		parts = append(parts, part{name, version, string(text)})
	}
	return parts, nil
}
