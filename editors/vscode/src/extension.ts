// Runs the language server of the xlalint that is installed, and restarts it when the settings ask for another.

import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { locate, MISSING, serving, version } from "./locate";

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("xlalint", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("xlalint.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("xlalint.command")) {
        void restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
  client = undefined;
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

async function start(): Promise<void> {
  const found = locate({
    command: vscode.workspace.getConfiguration("xlalint").get<string[]>("command", []),
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    interpreter: await chosenInterpreter(),
    searched: (process.env.PATH ?? "").split(path.delimiter),
    platform: process.platform,
  });
  if (found === undefined) {
    void vscode.window.showErrorMessage(MISSING);
    return;
  }
  try {
    output.info(`${await version(found)}: ${found.command.join(" ")}, from ${found.from}`);
  } catch (error) {
    void vscode.window.showErrorMessage((error as Error).message);
    return;
  }
  client = new LanguageClient("xlalint", "xlalint", serving(found), {
    documentSelector: ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ language: "python", scheme })),
    initializationOptions: vscode.workspace.getConfiguration("xlalint"),
    outputChannel: output,
  });
  await client.start();
}

/** The Python that the Python extension uses in the first folder, where that extension is installed. */
async function chosenInterpreter(): Promise<string | undefined> {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (python === undefined) {
    return undefined;
  }
  try {
    const api = await python.activate();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const known = api?.environments?.getActiveEnvironmentPath(folder)?.path;
    return typeof known === "string" ? known : undefined;
  } catch {
    return undefined;
  }
}
