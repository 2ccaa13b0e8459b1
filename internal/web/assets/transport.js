// How the page asks ravel: by HTTP from a server, or from WebAssembly in a worker. Both have info() and run(request, {signal, onMessage}).

export class Gone extends Error {}

class Server {
  async info() {
    const r = await fetch("api/info");
    if (!r.ok) throw new Error(await r.text());
    return r.json();
  }

  async model(name) {
    const r = await fetch("api/model?name=" + encodeURIComponent(name));
    if (!r.ok) throw new Error(await r.text());
    return r.text();
  }

  async run(request, { signal, onMessage }) {
    let r;
    try {
      r = await fetch("api/run", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal });
    } catch (e) {
      if (signal.aborted) throw e;
      throw new Gone("The server does not answer.");
    }
    if (!r.ok) throw new Error((await r.text()).trim());
    let last = null;
    try {
      for await (const line of lines(r.body)) {
        last = JSON.parse(line);
        onMessage(last);
      }
    } catch (e) {
      if (signal.aborted) throw e;
      throw new Gone("The server went away during the run.");
    }
    if (!last?.answer && !last?.problem) throw new Gone("The server went away during the run.");
  }
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    rest += value;
    for (let i; (i = rest.indexOf("\n")) >= 0; rest = rest.slice(i + 1)) yield rest.slice(0, i);
  }
  if (rest) yield rest;
}

// A Wasm runs ravel in a worker. To cancel a run the worker is ended, and another one is started.
class Wasm {
  constructor() {
    this.start();
  }

  start() {
    this.worker = new Worker(new URL("worker.js", import.meta.url));
    this.calls = new Map();
    this.next = 0;
    this.worker.onmessage = ({ data }) => {
      const call = this.calls.get(data.id);
      if (!call) return;
      if (data.error) call.reject(new Error(data.error));
      else if (data.done) call.resolve(data.value);
      else call.onMessage?.(data.message);
      if (data.error || data.done) this.calls.delete(data.id);
    };
    this.worker.onerror = (e) => {
      e.preventDefault();
      const calls = [...this.calls.values()];
      this.start();
      for (const c of calls) c.reject(new Error("ravel stopped: " + (e.message || "the program is too large for the browser")));
    };
  }

  call(what, argument, onMessage) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject, onMessage });
      this.worker.postMessage({ id, what, argument });
    });
  }

  async info() {
    const r = await fetch("info.json"); // made with the site: nothing waits for the WebAssembly
    return r.json();
  }

  model(name) {
    return this.call("model", name);
  }

  async run(request, { signal, onMessage }) {
    const stop = () => {
      this.worker.terminate();
      const calls = [...this.calls.values()];
      this.start();
      for (const c of calls) c.reject(new DOMException("stopped", "AbortError"));
    };
    signal.addEventListener("abort", stop);
    try {
      await this.call("run", JSON.stringify(request), (m) => onMessage(JSON.parse(m)));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

// ravel is made when this file runs, before the larger files of the page are there: WebAssembly takes a while to start.
export const ravel = document.documentElement.dataset.mode === "wasm" ? new Wasm() : new Server();
