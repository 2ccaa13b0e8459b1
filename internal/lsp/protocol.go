package lsp

import "encoding/json"

// The types of the protocol that the server uses, with the fields that it uses: see
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/.
type (
	initializeParams struct {
		RootURI          string            `json:"rootUri"`
		WorkspaceFolders []workspaceFolder `json:"workspaceFolders"`
		Options          json.RawMessage   `json:"initializationOptions"`
		Capabilities     struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
			Window struct {
				WorkDoneProgress bool `json:"workDoneProgress"`
			} `json:"window"`
			Workspace struct {
				Configuration bool `json:"configuration"`
			} `json:"workspace"`
		} `json:"capabilities"`
	}
	workspaceFolder  struct{ URI string }
	initializeResult struct {
		Capabilities map[string]any    `json:"capabilities"`
		ServerInfo   map[string]string `json:"serverInfo"`
	}

	textDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId,omitempty"`
		Version    int    `json:"version,omitempty"`
		Text       string `json:"text,omitempty"`
	}
	documentParams struct {
		TextDocument textDocument `json:"textDocument"`
	}
	changeParams struct {
		TextDocument   textDocument `json:"textDocument"`
		ContentChanges []struct {
			Range *textRange `json:"range"`
			Text  string     `json:"text"`
		} `json:"contentChanges"`
	}
	positionParams struct {
		TextDocument textDocument `json:"textDocument"`
		Position     position     `json:"position"`
	}
	actionParams struct {
		TextDocument textDocument `json:"textDocument"`
		Range        textRange    `json:"range"`
		Context      struct {
			Only []string `json:"only"`
		} `json:"context"`
	}
	commandParams struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}

	// A position counts lines, and in the line code units of the encoding that client and server agreed on, from 0.
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}

	diagnostic struct {
		Range    textRange     `json:"range"`
		Severity int           `json:"severity"`
		Code     string        `json:"code,omitempty"`
		Source   string        `json:"source"`
		Message  string        `json:"message"`
		Related  []relatedInfo `json:"relatedInformation,omitempty"`
	}
	relatedInfo struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	publishParams struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}

	hoverResult struct {
		Contents markup     `json:"contents"`
		Range    *textRange `json:"range,omitempty"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}

	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}

	progressParams struct {
		Token string        `json:"token"`
		Value progressValue `json:"value"`
	}
	progressValue struct {
		Kind        string `json:"kind"` // begin, report or end
		Title       string `json:"title,omitempty"`
		Message     string `json:"message,omitempty"`
		Cancellable bool   `json:"cancellable,omitempty"`
		Percentage  *int   `json:"percentage,omitempty"`
	}
)

// Severities of diagnostics.
const (
	severityError = 1 + iota
	severityWarning
	severityInformation
	severityHint
)

// Codes of errors that JSON-RPC does not have.
const (
	notInitialized   = -32002
	requestCancelled = -32800
)
