// Starts the extension as VS Code does, with a stand-in for VS Code: it has just enough for the client to start the server, open a file and show what is wrong with it.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import Module, { createRequire } from 'node:module';
import { test } from 'node:test';

const require = createRequire(import.meta.url);
const ravel = process.env.RAVEL ?? 'ravel';
const missing = spawnSync(ravel, ['--version']).status !== 0;

const disposable = { dispose() {} };
const event = () => disposable;

// anything is what the stand-in has where it does not matter: a function, a class and an object whose parts are the same.
const anything = new Proxy(function () {}, {
  get: (f, name) => (name === 'prototype' ? f.prototype : name === Symbol.toPrimitive ? () => '' : name === 'then' || name === Symbol.iterator ? undefined : anything),
  apply: () => anything,
});
const withRest = (known) => new Proxy(known, { get: (o, name) => (name in o ? o[name] : /^on[A-Z]/.test(String(name)) ? event : anything) });

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = 'file';
    this.fsPath = this.path = decodeURIComponent(new URL(text).pathname);
  }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri('file://' + path); }
  toString() { return this.text; }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(a, b, c, d) { this.start = c === undefined ? a : new Position(a, b); this.end = c === undefined ? b : new Position(c, d); } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class EventEmitter {
  listeners = [];
  event = (f) => { this.listeners.push(f); return disposable; };
  fire(e) { for (const f of this.listeners) f(e); }
  dispose() {}
}
class CancellationTokenSource { token = { isCancellationRequested: false, onCancellationRequested: event }; cancel() {} dispose() {} }

function standIn(path, shown, found) {
  const commands = new Map();
  const opened = { uri: Uri.file('/nowhere/my.cat'), languageId: 'cat', version: 1, isDirty: false, isClosed: false, fileName: '/nowhere/my.cat', getText: () => 'acyclic po | nothing as order\n' };
  return withRest({
    Uri, Position, Range, Diagnostic, EventEmitter, CancellationTokenSource,
    Disposable: class { constructor(f) { this.dispose = f ?? (() => {}); } static from() { return disposable; } },
    version: '1.91.0',
    env: withRest({ language: 'en', appName: 'stand-in' }),
    commands: withRest({ registerCommand: (name, f) => { commands.set(name, f); return disposable; }, run: (name) => commands.get(name)() }),
    window: withRest({
      createOutputChannel: () => withRest({ append() {}, appendLine() {}, ...disposable }),
      showErrorMessage: async (m) => void shown.push(m), showInformationMessage: async (m) => void shown.push(m), showWarningMessage: async (m) => void shown.push(m),
      visibleTextEditors: [], tabGroups: withRest({ all: [], onDidChangeTabs: event }),
    }),
    workspace: withRest({
      workspaceFolders: undefined, textDocuments: [opened], notebookDocuments: [], isTrusted: true,
      getConfiguration: () => ({ get: (name, other) => (name === 'path' ? path : other), inspect: () => undefined, has: () => false, toJSON: () => ({ path }) }),
    }),
    languages: withRest({
      match: (selector, document) => (JSON.stringify(selector).includes(`"${document.languageId}"`) ? 10 : 0),
      createDiagnosticCollection: () => ({ set: (uri, list) => found.push(...(list ?? [])), delete() {}, clear() {}, ...disposable }),
    }),
  });
}

function load(vscode) {
  const own = Module._load;
  Module._load = function (name, ...rest) { return name === 'vscode' ? vscode : own.call(this, name, ...rest); };
  try {
    const path = require.resolve('../dist/extension.js');
    delete require.cache[path];
    return require(path);
  } finally {
    Module._load = own;
  }
}

const until = async (ok) => { while (!ok()) await new Promise((resolve) => setTimeout(resolve, 20)); };

test('the extension starts the server and shows errors', { skip: missing && `no ${ravel}`, timeout: 300_000 }, async () => {
  const shown = [], found = [];
  const extension = load(standIn(ravel, shown, found));
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepEqual(shown, []);
  await until(() => found.length > 0);
  assert.match(found[0].message, /unbound name nothing/);
  await extension.deactivate();
});

test('a missing program is told', { timeout: 300_000 }, async () => {
  const shown = [];
  const extension = load(standIn('/nowhere/ravel', shown, []));
  await extension.activate({ subscriptions: [] });
  assert.match(shown.join('\n'), /ravel does not start.*Install ravel, or say where it is/s);
});

test('the package has the extension and nothing else', () => {
  const listed = spawnSync(process.execPath, [require.resolve('@vscode/vsce/vsce'), 'ls', '--no-dependencies'], { cwd: new URL('..', import.meta.url), encoding: 'utf8' });
  assert.equal(listed.status, 0, listed.stderr);
  const files = listed.stdout.split('\n').filter((f) => f && f !== 'LICENSE').sort(); // the licence is copied when the package is made
  assert.deepEqual(files, ['README.md', 'dist/extension.js', 'language-configuration.json', 'package.json', 'syntaxes/cat.tmLanguage.json', 'syntaxes/litmus.tmLanguage.json']);
});
