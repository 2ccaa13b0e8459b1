//go:build !js

package rt

import _ "embed" // runtime32.ll

//go:embed runtime32.ll
var library32 []byte
