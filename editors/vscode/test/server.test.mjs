// Talks to the server with the library that the extension has. RAVEL names the program; without one on PATH the test is skipped.
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const require = createRequire(import.meta.url);
const rpc = require('vscode-languageserver-protocol/node');
const ravel = process.env.RAVEL ?? 'ravel';
const missing = spawnSync(ravel, ['--version']).status !== 0;

test('from initialize to exit', { skip: missing && `no ${ravel}` }, async () => {
  const child = spawn(ravel, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const connection = rpc.createProtocolConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  const published = new Promise((resolve) => connection.onNotification(rpc.PublishDiagnosticsNotification.type, resolve));
  connection.listen();
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  assert.ok(capabilities.hoverProvider && capabilities.definitionProvider && capabilities.codeActionProvider);
  await connection.sendNotification(rpc.InitializedNotification.type, {});
  const uri = 'file:///nowhere/my.cat';
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'cat', version: 1, text: 'let hb = po | rf\nacyclic hb | nothing\n' },
  });
  const { diagnostics } = await published;
  assert.match(diagnostics[0].message, /unbound name nothing/);
  const hover = await connection.sendRequest(rpc.HoverRequest.type, { textDocument: { uri }, position: { line: 1, character: 8 } });
  assert.match(hover.contents.value, /`hb` is a relation/);
  const place = await connection.sendRequest(rpc.DefinitionRequest.type, { textDocument: { uri }, position: { line: 1, character: 8 } });
  assert.deepEqual(place.range.start, { line: 0, character: 4 });
  await connection.sendRequest(rpc.ShutdownRequest.type);
  await connection.sendNotification(rpc.ExitNotification.type);
  assert.equal(await ended, 0);
});
