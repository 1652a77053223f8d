package site

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Aloud returns what a screen reader has to say of the first element of a selector and of all in it, from
// the accessibility tree of Chromium: a line for each, in the order of reading, with its role, its name,
// its description and its states. Text that is already the name of what holds it is not repeated, and
// there are at most so many lines.
func (b *Tab) Aloud(selector string, most int) string {
	b.T.Helper()
	found, err := chromedp.Call(b.Ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("document.querySelector(%q)", selector)})
	if err != nil {
		b.T.Fatal(err)
	}
	at, err := chromedp.Call(b.Ctx, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: found.Result.ObjectID})
	if err != nil {
		b.T.Fatalf("%s: %v", selector, err)
	}
	tree, err := chromedp.Call(b.Ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.T.Fatal(err)
	}
	r := reader{b: b, nodes: map[accessibility.NodeID]*accessibility.Node{}}
	for _, n := range tree.Nodes {
		r.nodes[n.NodeID] = n
	}
	top := slices.IndexFunc(tree.Nodes, func(n *accessibility.Node) bool { return n.BackendDOMNodeID == at.Node.BackendNodeID })
	if top < 0 {
		b.T.Fatalf("a screen reader does not find %s", selector)
	}
	r.read(tree.Nodes[top], 0, "")
	lines := strings.SplitAfter(r.said.String(), "\n")
	return strings.Join(lines[:min(len(lines), most)], "")
}

// reader reads an accessibility tree.
type reader struct {
	b     *Tab
	nodes map[accessibility.NodeID]*accessibility.Node
	said  strings.Builder
}

// unsaid are roles that are parts of the layout and are not announced.
var unsaid = []string{"", "none", "generic", "InlineTextBox", "LineBreak", "rowgroup", "LayoutTable", "LayoutTableRow", "LayoutTableCell", "SvgRoot", "ListMarker"}

// states are the properties that are said when they hold.
var states = []accessibility.PropertyName{"focused", "modal", "level", "expanded", "selected", "checked", "pressed", "disabled", "required", "invalid", "hasPopup", "autocomplete", "live", "multiselectable"}

// read says a node and what is in it. Known is the name of what holds it.
func (r *reader) read(n *accessibility.Node, depth int, known string) {
	if role, name := said(n.Role), said(n.Name); !n.Ignored && !slices.Contains(unsaid, role) && !(role == "StaticText" && (name == "" || strings.Contains(known, name))) {
		if role == "StaticText" {
			role = "text"
		}
		r.said.WriteString(strings.Repeat("  ", depth) + role)
		if name != "" {
			fmt.Fprintf(&r.said, " %q", name)
		}
		if about := said(n.Description); about != "" {
			fmt.Fprintf(&r.said, ", described %q", about)
		}
		if value := said(n.Value); value != "" && value != name {
			fmt.Fprintf(&r.said, ", value %q", value)
		}
		r.states(n, role)
		r.said.WriteString("\n")
		if role == "text" {
			return
		}
		depth, known = depth+1, name
	}
	for _, id := range n.ChildIDs {
		if child := r.nodes[id]; child != nil {
			r.read(child, depth, known)
		}
	}
}

// states says what holds of a node.
func (r *reader) states(n *accessibility.Node, role string) {
	for _, p := range n.Properties {
		switch {
		case p.Name == "activedescendant":
			for _, other := range p.Value.RelatedNodes {
				for _, node := range r.nodes {
					if node.BackendDOMNodeID == other.BackendDOMNodeID {
						fmt.Fprintf(&r.said, ", at %q", said(node.Name))
					}
				}
			}
		case slices.Contains(states, p.Name):
			switch value := said(p.Value); value {
			case "true":
				r.said.WriteString(", " + string(p.Name))
			case "false":
				if p.Name == "expanded" || p.Name == "selected" || p.Name == "checked" || p.Name == "pressed" {
					r.said.WriteString(", not " + string(p.Name))
				}
			case "":
			default:
				r.said.WriteString(", " + string(p.Name) + " " + value)
			}
		}
	}
	if name := untold[role]; name != "" {
		if value := r.attribute(n.BackendDOMNodeID, name); value != "" {
			fmt.Fprintf(&r.said, ", %s %s", strings.TrimPrefix(name, "aria-"), value)
		}
	}
}

// untold are attributes of which Chromium tells screen readers and not its protocol, by role.
var untold = map[string]string{"columnheader": "aria-sort", "link": "aria-current"}

// attribute returns the value of an attribute of an element; it is empty if the element has none.
func (r *reader) attribute(id cdp.BackendNodeID, name string) string {
	r.b.T.Helper()
	at, err := chromedp.Call(r.b.Ctx, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: id})
	if err != nil {
		r.b.T.Fatal(err)
	}
	for i := 0; i+1 < len(at.Node.Attributes); i += 2 {
		if at.Node.Attributes[i] == name {
			return at.Node.Attributes[i+1]
		}
	}
	return ""
}

// said is a value as text.
func said(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	if err := json.Unmarshal(v.Value, &text); err != nil {
		return string(v.Value) // a number or a truth value
	}
	return text
}
