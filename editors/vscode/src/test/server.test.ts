// The language server as Microsoft's own client for Node speaks with it. XLALINT_COMMAND names it, by spaces.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  CodeActionRequest,
  CodeActionResolveRequest,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type CodeAction,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import { serving } from "../locate";

const folder = mkdtempSync(path.join(tmpdir(), "xlalint-"));
const uri = pathToFileURL(path.join(folder, "old.py")).toString();
const text = "import torch_xla.core.xla_model as xm\n\ndevice = xm.xla_device()\n";
writeFileSync(path.join(folder, "old.py"), text);

function connect() {
  const command = (process.env.XLALINT_COMMAND ?? "xlalint").split(" ");
  const { command: program, args } = serving({ command, from: "the environment" });
  const server = spawn(program, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  const ended = new Promise((resolve) => server.once("exit", resolve));
  return { connection, ended };
}

test("diagnostics are pushed, a fix is chosen, and the server says goodbye", async () => {
  const { connection, ended } = connect();
  const published: PublishDiagnosticsParams[] = [];
  let tell = () => {};
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
    published.push(params);
    tell();
  });
  const seen = (version: number) =>
    new Promise<PublishDiagnosticsParams>((resolve) => {
      tell = () => {
        const found = published.find((each) => each.version === version);
        if (found !== undefined) {
          resolve(found);
        }
      };
      tell();
    });
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).toString(),
    capabilities: {
      textDocument: {
        publishDiagnostics: { versionSupport: true, tagSupport: { valueSet: [1, 2] }, codeDescriptionSupport: true },
        codeAction: { resolveSupport: { properties: ["edit"] }, dataSupport: true },
      },
    },
  });
  assert.equal(capabilities.diagnosticProvider, undefined);
  assert.equal(capabilities.positionEncoding, "utf-16");
  await connection.sendNotification(InitializedNotification.type, {});
  const textDocument = { uri, languageId: "python", version: 1, text };
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  const [found] = (await seen(1)).diagnostics;
  assert.equal(found.code, "XLA002");
  assert.deepEqual(found.tags, [2]);
  assert.match(found.codeDescription?.href ?? "", /deprecated-api/);

  const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position: found.range.start });
  assert.match(JSON.stringify(hover), /XLA002 deprecated-api/);

  const context = { diagnostics: [found] };
  const offered = await connection.sendRequest(CodeActionRequest.type, { textDocument, range: found.range, context });
  const fix = offered?.find((each) => "isPreferred" in each && each.isPreferred) as CodeAction;
  assert.equal(fix.edit, undefined);
  const resolved = await connection.sendRequest(CodeActionResolveRequest.type, fix);
  const edits = resolved.edit?.changes?.[uri] ?? [];
  assert.deepEqual(
    edits.map((edit) => [edit.range.start.line, edit.range.end.line, edit.newText]),
    [
      [0, 1, "import torch_xla\n"],
      [2, 3, "device = torch_xla.device()\n"],
    ],
  );

  await connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ text: "import torch_xla\n" }],
  });
  assert.deepEqual((await seen(2)).diagnostics, []);

  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
});

test("a client that asks for diagnostics gets them by asking alone", async () => {
  const { connection, ended } = connect();
  let published = 0;
  connection.onNotification(PublishDiagnosticsNotification.type, () => {
    published += 1;
  });
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { diagnostic: {} }, general: { positionEncodings: ["utf-8"] } },
  });
  assert.notEqual(capabilities.diagnosticProvider, undefined);
  assert.equal(capabilities.positionEncoding, "utf-8");
  await connection.sendNotification(InitializedNotification.type, {});
  const textDocument = { uri, languageId: "python", version: 1, text };
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
  assert.equal(report.kind === "full" && report.items[0].code, "XLA002");
  assert.equal(published, 0);
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
});
