package jvm

import "embed"

// standins is empty in the browser, which has no JDK, so that the WebAssembly is smaller.
var standins embed.FS
