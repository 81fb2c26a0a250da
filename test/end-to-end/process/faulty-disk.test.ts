import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { reasonsNotReady } from "../../http/threats/readiness.js";
import { type TestProcess, startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { authorization, openLedger } from "../../kit/ledger.js";
import { createFaultyDisk, missing, type Fault, type FaultyDisk } from "./faulty-disk/faulty-disk.js";

/** What a client was told that it can have later. */
interface Acknowledged {
  readonly responses: string[];
  readonly jobs: string[];
}

class Client {
  readonly acknowledged: Acknowledged = { responses: [], jobs: [] };

  constructor(readonly server: { readonly url: string }) {}

  post(path: string, body: object): Promise<Response> {
    return fetch(this.server.url + path, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: builtInModel, ...body }),
    });
  }

  /** Asks for a stored response. @returns the status. */
  async respond(): Promise<number> {
    const response = await this.post("/v1/responses", { input: "Hello", max_output_tokens: 4 });
    const { id } = (await response.json()) as { id: string };
    if (response.status === 200) this.acknowledged.responses.push(id);
    return response.status;
  }

  /** Asks for a deferred completion. @returns the status. */
  async defer(): Promise<number> {
    const response = await this.post("/v1/chat/completions", { messages, max_tokens: 4, deferred: true });
    const { request_id: id } = (await response.json()) as { request_id: string };
    if (response.status === 200) this.acknowledged.jobs.push(id);
    return response.status;
  }

  /** Asks for an image that is stored. */
  draw(): Promise<Response> {
    return this.post("/v1/images/generations", {
      model: "hearth-painter-3m",
      prompt: "a red star",
      response_format: "url",
    });
  }

  /** Streams an answer and calls `act` at its first chunk. @returns all of it. */
  async stream(act: () => void): Promise<string> {
    const { body } = await this.post("/v1/chat/completions", { messages, max_tokens: 60, stream: true });
    let text = "";
    for await (const chunk of body ?? []) {
      if (text === "") act();
      text += Buffer.from(chunk as Uint8Array).toString();
    }
    return text;
  }
}

const graceMs = 2_000;
const messages = [{ role: "user", content: "Tell me a long story." }];

/** Begins a stream, lets the disk fail in its middle, asks for more until the disk is repaired, and waits for the server. */
async function outage(client: Client, disk: FaultyDisk, fault: Fault): Promise<readonly string[]> {
  expect([await client.respond(), await reasonsNotReady(client.server)]).toEqual([200, []]);
  expect(await client.stream(() => disk.fail(fault))).toContain("[DONE]");
  expect([await client.respond(), await client.defer()]).toEqual([503, 503]);
  const reasons = await reasonsNotReady(client.server);
  expect(await Promise.all([client.respond(), client.respond(), client.defer()])).toEqual([503, 503, 503]);
  disk.repair();
  await vi.waitFor(async () => expect(await reasonsNotReady(client.server)).toEqual([]), {
    timeout: 30_000,
    interval: 50,
  });
  expect([await client.respond(), await client.defer()]).toEqual([200, 200]);
  return reasons;
}

/** Checks what the server was told to keep, in its next process, and the books. */
async function expectNothingLost({ data }: FaultyDisk, { responses, jobs }: Acknowledged): Promise<void> {
  const { app, url } = await startServer({ environment: { HEARTH_DATA: data } });
  const get = (path: string): Promise<Response> => fetch(url + path, { headers: authorization });
  for (const id of responses) expect((await get(`/v1/responses/${id}`)).status).toBe(200);
  for (const id of jobs)
    await vi.waitFor(async () => expect((await get(`/v1/chat/deferred-completion/${id}`)).status).toBe(200), {
      timeout: 50_000,
      interval: 20,
    });
  await app.close();
  const books = await openLedger(data, "prepaid");
  expect(await books.ledger.verify()).toEqual([]);
  expect((await books.balances()).reserved).toBe(0n);
  const states = (await books.runs.list(1000)).map(({ state }) => state);
  expect(states.filter((state) => state === "completed").length).toBeGreaterThanOrEqual(
    responses.length + jobs.length,
  );
  expect(states).not.toContain("running");
}

async function startPrepaid(disk: FaultyDisk): Promise<TestProcess> {
  const server = await startProcess({ ...disk.environment, HEARTH_SHUTDOWN_GRACE_MS: String(graceMs) });
  const books = await openLedger(disk.data, "prepaid");
  await books.buy(Number.MAX_SAFE_INTEGER);
  await books.database.close();
  return server;
}

describe(`a disk that fails under a running server${missing === null ? "" : ` (not run: ${missing})`}`, () => {
  it.runIf(missing === null)(
    "F16: with EIO, ENOSPC and EROFS no request is accepted and /readyz fails, until it works; SIGTERM ends the server in its grace time, and nothing acknowledged is lost",
    { timeout: 180_000 },
    async () => {
      const disk = createFaultyDisk();
      const server = await startPrepaid(disk);
      const client = new Client(server);
      const reasons: Record<string, readonly string[]> = {};
      for (const fault of ["EIO", "ENOSPC", "EROFS"] as const)
        reasons[fault] = await outage(client, disk, fault);
      expect(reasons).toEqual({
        EIO: [
          expect.stringMatching(/^writes to the database fail: the disk reports an error \(SQLITE_IOERR/),
        ],
        ENOSPC: ["writes to the database fail: the disk is full (SQLITE_FULL)"],
        EROFS: [expect.stringMatching(/^writes to the database fail: /)],
      });
      for (let jobs = 0; jobs < 3; jobs += 1) expect(await client.defer()).toBe(200);
      let stoppedAt = 0;
      await client
        .stream(() => {
          disk.fail("EIO");
          stoppedAt = performance.now();
          server.child.kill("SIGTERM");
        })
        .catch(() => undefined);
      expect(await server.exited).toBe(0);
      // Busy machines take a while to end a process.
      expect(performance.now() - stoppedAt).toBeLessThan(graceMs + 15_000);
      disk.repair();
      await expectNothingLost(disk, client.acknowledged);
    },
  );

  it.runIf(missing === null)(
    "F16: with writes that write half of their bytes everything works; an image that does not fit is refused, leaving no part of it",
    async () => {
      const disk = createFaultyDisk();
      disk.fail("SHORT");
      const server = await startPrepaid(disk);
      const client = new Client(server);
      for (let requests = 0; requests < 3; requests += 1)
        expect([await client.respond(), await client.defer()]).toEqual([200, 200]);
      expect(await reasonsNotReady(server)).toEqual([]);

      disk.fail("ENOSPC", "images");
      const refused = await client.draw();
      expect([refused.status, await refused.text()]).toEqual([
        503,
        expect.stringContaining("cannot store images"),
      ]);
      expect(readdirSync(join(disk.data, "images"))).toEqual([]);
      disk.repair();
      expect((await client.draw()).status).toBe(200);
      expect(readdirSync(join(disk.data, "images"))).toHaveLength(1);
      server.child.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      await expectNothingLost(disk, client.acknowledged);
    },
  );
});
