package jmm

import (
	"context"
	"strings"
	"testing"

	"ravel/internal/justify"
)

// TestSchemes searches for tests on which the schemes fail. That of OpenJDK 9 for Power is the wrong one of the literature (ECOOP'22): volatile programs are
// not sequentially consistent. The others are right for volatile accesses alone.
func TestSchemes(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for tests that schemes compile wrongly")
	}
	unsound := map[string]bool{"power-openjdk9": true}
	for _, name := range append(Targets(), Schemes()...) {
		t.Run(name, func(t *testing.T) {
			s, err := LoadScheme(name)
			if err != nil {
				t.Fatal(err)
			}
			found, err := FindUnsound(context.Background(), s, justify.Options{Model: "jam21"}, 5)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case found.Tests < 10:
				t.Errorf("only %d tests", found.Tests)
			case unsound[name] != (found.Report != nil):
				t.Errorf("unsound: %v, want %v\n%s", found.Report != nil, unsound[name], found.Text)
			case unsound[name] && strings.Count(found.Text, "Thread") != 3:
				t.Errorf("not the smallest, which has three threads:\n%s", found.Text)
			}
		})
	}
	// The repair of ECOOP'22.
	s, err := parseScheme("repaired", "target = power\ngetVolatile = hwsync; lwz; lwsync\nsetVolatile = hwsync; stw\n")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := FindUnsound(context.Background(), s, justify.Options{Model: "jam21"}, 5); err != nil || found.Report != nil {
		t.Errorf("the repaired scheme: %v, %+v", err, found)
	}
}

// TestSchemeFiles has files that are wrong.
func TestSchemeFiles(t *testing.T) {
	for text, want := range map[string]string{
		"getVolatile = mov":                                   "the first line is target = NAME",
		"target = alpha":                                      `no target "alpha"`,
		"target = x86\ngetVolatile = ldar":                    `x86 has no instruction "ldar" for getVolatile: there are mov`,
		"target = power\nsetVolatile = lwsync; sync; stw":     "at most one fence on each side",
		"target = power\nsetVolatile = stw; stw":              `"stw" is no fence`,
		"target = power\nfullFence = stw":                     `"stw" is no fence of Power`,
		"target = power\nputVolatile = stw":                   `what is "putVolatile"?`,
		"target = power\n\n# a comment\nsetVolatile lwsync":   "x:4: a line is METHOD",
		"target = aarch64\nupdateAcquire = update; dmb ishld": "",
	} {
		_, err := parseScheme("x", text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := LoadScheme("x87"); err == nil || !strings.Contains(err.Error(), "power-openjdk9") {
		t.Errorf("an unknown scheme: %v", err)
	}
}
