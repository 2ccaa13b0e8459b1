package model

import (
	"slices"
	"testing"
)

func TestStrongest(t *testing.T) {
	for _, test := range []struct{ names, want []string }{
		{[]string{"power", "armv8", "imm"}, []string{"power", "armv8"}},
		{[]string{"lkmm-2018", "lkmm"}, []string{"lkmm"}},
		{[]string{"ra", "tso", "lkmm", "pso"}, []string{"tso"}},
		{[]string{"mine.cat", "rc11"}, []string{"mine.cat", "rc11"}},
		{nil, nil},
	} {
		if got := Strongest(test.names); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.names, got, test.want)
		}
	}
}

// TestWeakerNames checks that the table names models that there are, and that no model is stronger than itself.
func TestWeakerNames(t *testing.T) {
	for a, list := range weaker {
		for _, b := range append(list, a) {
			if !slices.Contains(append(Names(), "lmo", "rmo"), b) {
				t.Errorf("there is no model %s", b)
			}
		}
		if Stronger(a, a) {
			t.Errorf("%s is stronger than itself", a)
		}
	}
}
