// Package docs has the documents, for `ravel site`.
package docs

import "embed"

// Files are the documents with their pictures.
//
//go:embed *.md tasks/*.md pictures
var Files embed.FS
