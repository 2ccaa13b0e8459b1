// Package serve is `ravel serve`: a page on which programs and tests are run, and the server behind it.
//
// Every run is a process of its own, with a folder of its own, which ends with all that it started when the page goes away, when its time is over, or when the server
// ends. It is confined before it looks at the request: by limits of the system, and where the kernel has Landlock, to the files that compilers need. Requests come
// from the page only: other origins and hosts are refused, which also keeps out pages that name this server by another name (DNS rebinding).
//
//	page ─ POST /api/run ─▶ Server ─ stdin ─▶ Work ─▶ play.Run
//	     ◀─ JSON lines ────        ◀─ stdout ─
package serve
