// Runs ravel as WebAssembly, off the thread of the page.
const loading = fetch("ravel.wasm.gz"); // the largest file first
importScripts("wasm_exec.js");

let asked = false;

const ready = (async () => {
  const go = new Go();
  const packed = await loading;
  if (!packed.ok) throw new Error("ravel.wasm.gz: " + packed.status);
  const body = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiateStreaming(new Response(body, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
  go.run(instance).then(() => {
    throw new Error("ravel ended"); // the page starts another worker
  });
  setTimeout(() => asked || self.ravelWarm(), 100); // a question that is there already does not wait for it
})();

onmessage = async ({ data: { id, what, argument } }) => {
  asked = true;
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
