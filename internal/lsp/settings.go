package lsp

import (
	"encoding/json"
	"fmt"
	"time"
)

// Settings are what a client may say, under the name ravel. A target of ravel.toml has its own models and flags, which come before these.
type Settings struct {
	Model         string   `json:"model"`         // of programs, or several with commas between
	LitmusModel   string   `json:"litmusModel"`   // of litmus tests; "" is the usual one of each dialect
	Flags         []string `json:"flags"`         // of ravel check
	CompilerFlags []string `json:"compilerFlags"` // for files that neither ravel.toml nor compile_commands.json names
	Timeout       string   `json:"timeout"`       // of a check, as 30s
	CheckOnSave   bool     `json:"checkOnSave"`
	Suggest       bool     `json:"suggest"` // look for memory orders that are missing, or stronger than needed
}

var defaults = Settings{Timeout: "30s", CheckOnSave: true, Suggest: true}

// parseSettings reads settings, which may be inside of {"ravel": …}. What is not said is as by default. An error names the key.
func parseSettings(raw json.RawMessage) (Settings, error) {
	s := defaults
	if len(raw) == 0 || string(raw) == "null" {
		return s, nil
	}
	var outer struct {
		Ravel json.RawMessage `json:"ravel"`
	}
	if err := json.Unmarshal(raw, &outer); err == nil && len(outer.Ravel) > 0 && string(outer.Ravel) != "null" {
		raw = outer.Ravel
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return defaults, fmt.Errorf("settings of ravel: %w", err)
	}
	if d, err := time.ParseDuration(s.Timeout); err != nil || d <= 0 {
		return defaults, fmt.Errorf("settings of ravel: timeout %q: it takes a time such as 30s", s.Timeout)
	}
	return s, nil
}

func (s *Settings) timeout() time.Duration {
	d, _ := time.ParseDuration(s.Timeout) // parseSettings checked it
	return d
}
