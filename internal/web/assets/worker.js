// Runs ravel as WebAssembly, off the thread of the page.
importScripts("wasm_exec.js");

const ready = (async () => {
  const go = new Go();
  const packed = await fetch("ravel.wasm.gz");
  if (!packed.ok) throw new Error("ravel.wasm.gz: " + packed.status);
  const body = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiateStreaming(new Response(body, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
  go.run(instance).then(() => {
    throw new Error("ravel ended"); // the page starts another worker
  });
})();

onmessage = async ({ data: { id, what, argument } }) => {
  try {
    await ready;
    if (what === "run") {
      self.ravelRun(argument, (message, last) => {
        postMessage({ id, message });
        if (last) postMessage({ id, done: true });
      });
    } else {
      postMessage({ id, done: true, value: self.ravelModel(argument) });
    }
  } catch (e) {
    postMessage({ id, error: e.message });
  }
};
