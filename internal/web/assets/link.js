// Links that hold a program: its state as JSON, deflated, in base64 for addresses.

export async function encode(state) {
  const packed = await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let s = "";
  for (const b of packed) s += String.fromCharCode(b);
  return "1" + btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function decode(text) {
  if (text[0] !== "1") throw new Error("a link of another version");
  const raw = Uint8Array.from(atob(text.slice(1).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const s = JSON.parse(new TextDecoder().decode(await pipe(raw, new DecompressionStream("deflate-raw"))));
  if (!Array.isArray(s.files) || s.files.length === 0 || !s.files.every((f) => typeof f.name === "string" && typeof f.text === "string")) throw new Error("no files");
  return { files: s.files, models: Array.isArray(s.models) ? s.models : [], options: s.options ?? {}, flags: String(s.flags ?? "") };
}

async function pipe(bytes, through) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
}
