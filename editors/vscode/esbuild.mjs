// Bundles the extension and the client library into one file.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'], // VS Code has it
  minify: process.argv.includes('--minify'),
  logLevel: 'warning',
});
