// Which xlalint is taken, and what is said where it cannot be started.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { locate, type Places, serving, version } from "../locate";

const home = mkdtempSync(path.join(tmpdir(), "xlalint-"));
const none: Places = { command: [], folders: [], searched: [], platform: "linux" };

function program(folder: string, name = "xlalint", text = "#!/bin/sh\necho xlalint 1.2.3\n"): string {
  const file = path.join(home, folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

test("the command that is set wins over all that is installed", () => {
  const searched = [path.dirname(program("set/bin"))];
  const found = locate({ ...none, command: ["uvx", "xlalint"], searched });
  assert.deepEqual(found?.command, ["uvx", "xlalint"]);
  assert.deepEqual(serving(found), { command: "uvx", args: ["xlalint", "server"] });
});

test("the Python of the workspace comes before .venv, .venv before PATH", () => {
  const chosen = program("order/chosen");
  const own = program("order/work/.venv/bin");
  const global = program("order/global");
  const folders = [path.join(home, "order/work")];
  const searched = [path.dirname(global)];
  const interpreter = path.join(path.dirname(chosen), "python");
  assert.deepEqual(locate({ ...none, interpreter, folders, searched })?.command, [chosen]);
  assert.deepEqual(locate({ ...none, folders, searched })?.command, [own]);
  assert.deepEqual(locate({ ...none, searched })?.command, [global]);
  assert.equal(locate({ ...none, searched })?.from, "PATH");
});

test("a folder, a file that is no program and relative entries are passed over", () => {
  mkdirSync(path.join(home, "odd/folder/xlalint"), { recursive: true });
  chmodSync(program("odd/data"), 0o644);
  const searched = ["", ".", "bin", path.join(home, "odd/folder"), path.join(home, "odd/data")];
  assert.equal(locate({ ...none, interpreter: "python3", searched }), undefined);
});

test("on Windows it has another name, in another folder", () => {
  const file = program("windows/.venv/Scripts", "xlalint.exe");
  const found = locate({ ...none, folders: [path.join(home, "windows")], platform: "win32" });
  assert.deepEqual(found?.command, [file]);
});

test("the version is what the command says", async () => {
  assert.equal(await version({ command: [program("version")], from: "PATH" }), "xlalint 1.2.3");
});

test("a command that fails is told with what it said", async () => {
  const file = program("broken", "xlalint", "#!/bin/sh\necho no such module >&2\nexit 1\n");
  await assert.rejects(version({ command: [file], from: "PATH" }), /xlalint \(from PATH\) cannot be started: no such/);
  const gone = { command: [path.join(home, "gone")], from: "the setting xlalint.command" };
  await assert.rejects(version(gone), /setting xlalint.command\) cannot be started: .*ENOENT/);
});
