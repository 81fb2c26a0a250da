/** A server whose engine hangs in native code, on a thread that nothing but the end of the process ends. */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestProcess, startProcess } from "../../kit/program.js";
import { builtInModel } from "../../kit/server/settings.js";
import { reasonsNotReady } from "../../http/threats/readiness.js";
import { authorization, openLedger } from "../../kit/ledger.js";

const source = fileURLToPath(new URL("stalled-engine/shim.c", import.meta.url));
const missing =
  process.platform !== "linux"
    ? "needs Linux"
    : spawnSync("cc", ["--version"]).status === 0
      ? null
      : "needs a C compiler";

/** Longer than the server takes to end what hangs, on a machine that is busy. */
const waiting = { timeout: 120_000, interval: 250 };

interface Stalled {
  readonly server: TestProcess;
  readonly data: string;
  /** Lets the next token hang. */
  readonly stall: () => void;
  readonly isStalled: () => boolean;
  /** Asks for an answer. @returns its status, or "cut" where the connection ended without one */
  readonly ask: () => Promise<number | "cut">;
}

async function startStalling(): Promise<Stalled> {
  const folder = temporaryFolder();
  const [data, library, file] = [join(folder, "data"), join(folder, "shim.so"), join(folder, "stall")];
  const stalled = `${file}ed`;
  const { status, stderr } = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`cc: ${stderr}`);
  const server = await startProcess({
    HEARTH_DATA: data,
    LD_PRELOAD: library,
    STALL_FILE: file,
    STALLED_FILE: stalled,
    HEARTH_SHUTDOWN_GRACE_MS: "2000",
  });
  const ask = async (): Promise<number | "cut"> => {
    const response = await fetch(`${server.url}/v1/completions`, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: builtInModel, prompt: "Hello", max_tokens: 4 }),
    }).catch(() => null);
    return response === null ? "cut" : response.status;
  };
  expect(await ask()).toBe(200);
  return {
    server,
    data,
    ask,
    stall: () => writeFileSync(file, ""),
    isStalled: () => existsSync(stalled),
  };
}

describe.runIf(missing === null)(
  `an engine that hangs in native code${missing === null ? "" : ` (not run: ${missing})`}`,
  () => {
    it("C10, D13: is reported by /readyz, its answers end with an error, and the server starts anew with a working engine", async () => {
      const { server, stall, data, ask } = await startStalling();
      stall();
      const hanging = ask();
      await vi.waitFor(
        async () => expect(await reasonsNotReady(server)).toEqual(["the chat engine does not answer"]),
        waiting,
      );
      expect(await hanging).toBe(500);
      await vi.waitFor(() => expect(server.stderr()).toContain("restarting in"), waiting);
      await vi.waitFor(async () => expect(await ask()).toBe(200), waiting);
      expect(await reasonsNotReady(server)).toEqual([]);
      server.child.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      const { database } = await openLedger(data, "unmetered");
      const runs = await database.kysely
        .selectFrom("runs")
        .select(["state", "costTicks as cost"])
        .orderBy("startTime")
        .execute();
      expect(runs.map(({ state }) => state)).toEqual(["completed", "failed", "completed"]);
      // A fault of the server costs nothing.
      expect(runs.map(({ cost }) => Number(cost) > 0)).toEqual([true, false, true]);
    });

    it("C10, D13: does not keep a stopped server from ending within its time", async () => {
      const { server, stall, isStalled, ask } = await startStalling();
      stall();
      const hanging = ask();
      await vi.waitFor(() => expect(isStalled()).toBe(true), waiting);
      server.child.kill("SIGTERM");
      expect(await hanging).not.toBe(200);
      expect(await server.exited).toBe(1);
    });
  },
);
