// Tokenises samples with VS Code's own engine, and asks for the scope of words in them.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');
await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (s) => new oniguruma.OnigString(s),
  }),
  loadGrammar: async (scope) => {
    const path = `syntaxes/${scope.replace('source.', '')}.tmLanguage.json`;
    return textmate.parseRawGrammar(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'), path);
  },
});

// scopes returns the innermost scope of every word of a text, by the word's first place.
async function scopes(language, text) {
  const grammar = await registry.loadGrammar(`source.${language}`);
  const found = new Map();
  let stack = textmate.INITIAL;
  for (const line of text.split('\n')) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const t of result.tokens) {
      const word = line.slice(t.startIndex, t.endIndex).trim();
      if (word && !found.has(word)) {
        found.set(word, t.scopes.at(-1));
      }
    }
  }
  return found;
}

test('cat', async () => {
  const found = await scopes('cat', '"A model"\n(* a (* nested *) comment *)\ninclude "cos.cat"\nlet rec hb-order = po | rf^-1 ; hb-order\nacyclic hb-order | R * W as order\nlet s = \'once');
  for (const [word, scope] of [
    ['(*', 'comment.block.cat'],
    ['nested', 'comment.block.cat'],
    ['let', 'keyword.other.cat'],
    ['hb-order', 'entity.name.function.cat'],
    ['po', 'support.constant.cat'],
    ['acyclic', 'keyword.control.cat'],
    ['R', 'support.type.cat'],
    ['^-1', 'keyword.operator.cat'],
    ["'once", 'constant.other.symbol.cat'],
  ]) {
    assert.equal(found.get(word), scope, word);
  }
});

test('litmus', async () => {
  const found = await scopes('litmus', 'AArch64 MP\n{ 0:X1=x; }\n P0          | P1          ;\n MOV W0,#1   | LDR W0,[X1] ;\n DMB SY      |             ;\nexists (1:X0=1 /\\ 1:X2=0)');
  for (const [word, scope] of [
    ['AArch64', 'storage.type.litmus'],
    ['MP', 'entity.name.type.litmus'],
    ['P0', 'entity.name.function.litmus'],
    ['MOV', 'keyword.other.instruction.litmus'],
    ['LDR', 'keyword.other.instruction.litmus'],
    ['W0', 'variable.parameter.litmus'],
    ['#1', 'constant.numeric.litmus'],
    ['exists', 'keyword.control.litmus'],
  ]) {
    assert.equal(found.get(word), scope, word);
  }
});

test('litmus in C', async () => {
  const found = await scopes('litmus', 'C SB\n{ }\nP0(atomic_int *x) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\n~exists (x=1)');
  for (const [word, scope] of [
    ['C', 'storage.type.litmus'],
    ['atomic_store_explicit', 'support.function.litmus'],
    ['memory_order_relaxed', 'support.constant.litmus'],
    ['~exists', 'keyword.control.litmus'],
  ]) {
    assert.equal(found.get(word), scope, word);
  }
});

test('the bundle has everything but vscode', () => {
  const text = readFileSync(new URL('../dist/extension.js', import.meta.url), 'utf8');
  const outside = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map((m) => m[1]);
  const builtin = require('node:module').builtinModules;
  assert.deepEqual([...new Set(outside.filter((m) => m !== 'vscode' && !m.startsWith('node:') && !builtin.includes(m)))], []);
});
