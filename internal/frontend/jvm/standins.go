//go:build !js

package jvm

import "embed"

//go:embed classes
var standins embed.FS
