// Where xlalint is installed. Nothing here needs an editor, so that it is tested under Node.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

/** Where to look. */
export interface Places {
  /** The command that the user has set; empty: none. */
  command: readonly string[];
  /** The folders of the workspace. */
  folders: readonly string[];
  /** The Python that the user has chosen for the workspace, if that is known. */
  interpreter?: string;
  /** The folders of PATH. */
  searched: readonly string[];
  platform: NodeJS.Platform;
}

/** A command, and how it was found. */
export interface Found {
  command: readonly string[];
  from: string;
}

/** The command of xlalint: the one that is set, else the nearest that is installed; undefined: there is none. */
export function locate(places: Places): Found | undefined {
  if (places.command.length > 0) {
    return { command: places.command, from: "the setting xlalint.command" };
  }
  for (const [folder, from] of candidates(places)) {
    const file = path.join(folder, places.platform === "win32" ? "xlalint.exe" : "xlalint");
    if (isProgram(file)) {
      return { command: [file], from };
    }
  }
  return undefined;
}

function* candidates(places: Places): Generator<[string, string]> {
  const scripts = places.platform === "win32" ? "Scripts" : "bin";
  if (places.interpreter !== undefined && path.isAbsolute(places.interpreter)) {
    yield [path.dirname(places.interpreter), "the Python of the workspace"];
  }
  for (const folder of places.folders) {
    for (const environment of [".venv", "venv"]) {
      yield [path.join(folder, environment, scripts), `${environment} of the workspace`];
    }
  }
  for (const folder of places.searched) {
    // What a relative entry means depends on where the editor was started.
    if (path.isAbsolute(folder)) {
      yield [folder, "PATH"];
    }
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What to say where xlalint is not found. */
export const MISSING =
  "xlalint is not installed where this workspace looks for it. Install it with pip install 'xlalint[lsp]' " +
  "in its Python environment, or name it in the setting xlalint.command.";

/** The version that a command says it has; rejects with what to tell the user if it cannot be started. */
export function version(found: Found): Promise<string> {
  const [program, ...before] = found.command;
  return new Promise((resolve, reject) => {
    execFile(program, [...before, "--version"], { timeout: 30_000 }, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout.trim());
      } else {
        const said = stderr.trim() || error.message;
        reject(new Error(`${found.command.join(" ")} (from ${found.from}) cannot be started: ${said}`));
      }
    });
  });
}

/** The program and its arguments that run the language server. */
export function serving(found: Found): { command: string; args: string[] } {
  const [command, ...before] = found.command;
  return { command, args: [...before, "server"] };
}
