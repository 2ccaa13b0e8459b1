package cat

import "testing"

// TestWeaken has models that are monotone in what they choose and in the last writes, and others that are not shown to be.
func TestWeaken(t *testing.T) {
	for text, want := range map[string]bool{
		"include \"jam21.cat\"":                                           true,
		"include \"jam19.cat\"":                                           true,
		"include \"jam21.cat\"\nacyclic vo | po as more":                  true,
		"acyclic po | rf | ((W * FW) & loc)":                              true,
		"with r from linearisations(W, po)\nacyclic r | rf":               true,
		"let f(r) = r; po\nacyclic f(W * FW)":                             true,
		"let f(r) = po \\ r\nacyclic f(W * FW)":                           false,
		"let f(r) = po | (W * FW)\nacyclic f(rf)":                         false,
		"let g(r) = ~r\nlet f(r) = g(r; r)\nacyclic f(W * FW)":            false,
		"acyclic po \\ (W * FW)":                                          false,
		"let g(r) = ~r\nlet f(r) = g(r)\nlet g(r) = r\nacyclic f(W * FW)": false,
		"acyclic ~(W * FW)":                                               false,
		"~empty [FW]; rf":                                                 false,
		"let x = FW\nlet rec r = po \\ s and s = [x]; r\nacyclic r":       false,
		"include \"cross.cat\"\nwith r from generate_orders(W, po)\nacyclic (po \\ loc) | r; rf": true,
		"include \"cross.cat\"\nwith r from generate_orders(W, po)\nacyclic po \\ (r | rf)":      false,
		"with r from linearisations(W, po)\nforall x in {po} do acyclic x end":                   false,
		"flag ~empty po as race":                                                                    false,
		"if \"none\" flag ~empty po as race else acyclic po end":                                    true,
		"with r from linearisations(W, po)\nlet s = r\nlet s = po\nacyclic rf \\ s":                 false, // it is not looked at which s it is
		"with r from linearisations(W, po)\nempty range([domain(r)]; rf) as a\nacyclic r+ as order": true,
	} {
		m, err := LoadText("weaken.cat", text)
		if err != nil {
			t.Fatal(text, err)
		}
		flat := m.Flat()
		if got := flat != nil && flat.Weaken("po", false, "co") != nil; got != want {
			t.Errorf("%s\nweakened: %v, want %v", text, got, want)
		}
	}
}

// TestClosed has definitions that are closed for updates, and others that are not shown to be.
func TestClosed(t *testing.T) {
	for text, want := range map[string]bool{
		"include \"jam21.cat\"": true,
		"include \"java.cat\"\nlet rec order = po | ww((rf;update)^-1;order)":                           true,
		"include \"java.cat\"\nlet rec order = po | ww((rf; rmw)^-1; order)":                            false,
		"include \"java.cat\"\nlet ww(r) = r & int\nlet rec order = po | ww((rf; update)^-1; order)":    false,
		"include \"java.cat\"\nlet rf = rf & int\nlet rec order = po | ww((rf; update)^-1; order)":      false,
		"include \"java.cat\"\nlet rec order = po | ww((rf; update)^-1; order)\nlet order = order & po": false,
		"let ww(r) = r\nlet update = rmw\nlet rec order = po | ww((rf; update)^-1; order)":              false,
	} {
		m, err := LoadText("closed.cat", text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := m.Flat().Closed(&Var{Name: "order"}); got != want {
			t.Errorf("%s\nclosed: %v, want %v", text, got, want)
		}
	}
}
