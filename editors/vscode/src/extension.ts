// The extension starts `ravel lsp` and connects VS Code with it. All else is in the server.
import * as vscode from 'vscode';
import { LanguageClient, type Executable } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('ravel.checkFile', checkFile),
    vscode.commands.registerCommand('ravel.restart', restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('ravel.path')) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

// start runs the server; a missing program is told with what to do about it.
async function start(): Promise<void> {
  const path = vscode.workspace.getConfiguration('ravel').get('path', 'ravel');
  const server: Executable = { command: path, args: ['lsp'] };
  client = new LanguageClient('ravel', 'ravel', server, {
    documentSelector: ['c', 'cpp', 'rust', 'java', 'litmus', 'cat'].map((language) => ({ scheme: 'file', language })),
    initializationOptions: vscode.workspace.getConfiguration('ravel'),
    synchronize: { configurationSection: 'ravel' },
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settings = 'Open settings';
    const message = `ravel does not start: ${error instanceof Error ? error.message : String(error)}. Install ravel, or say where it is.`;
    if ((await vscode.window.showErrorMessage(message, settings)) === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'ravel.path');
    }
  }
}

async function restart(): Promise<void> {
  await client?.stop();
  await start();
}

interface Outcome {
  program: string;
  model: string;
  verdict: string;
  summary: string;
}

// checkFile checks the file in the editor and shows the verdicts.
async function checkFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || !document) {
    return;
  }
  await document.save();
  const outcomes: Outcome[] | null = await client.sendRequest('workspace/executeCommand', {
    command: 'ravel.check',
    arguments: [document.uri.toString()],
  });
  for (const o of outcomes ?? []) {
    const text = `${o.program} (${o.model}): ${o.summary}`;
    if (o.verdict === 'verified' || o.verdict === 'ok') {
      void vscode.window.showInformationMessage(text);
    } else {
      void vscode.window.showWarningMessage(text);
    }
  }
}
