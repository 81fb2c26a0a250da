/** Two complete servers that send requests to one server of texts. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../kit/folder.js";
import { type TestServer, startServer } from "../kit/server.js";
import { testKey } from "../kit/server/settings.js";
import { until } from "../kit/until.js";
import { newPostgresUrl } from "../kit/databases/postgres/databases.js";

interface HeldRequest {
  /** What it asked. */
  readonly asked: string;
  end(): void;
}

/** Starts a server that holds each request until it is let go. */
async function startEngine(): Promise<{ readonly url: string; readonly held: HeldRequest[] }> {
  const held: HeldRequest[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (request.method === "GET") return response.end('{"object":"list","data":[]}');
      const asked = (JSON.parse(text) as { messages: { content: string }[] }).messages.at(-1)?.content ?? "";
      const choices = [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }];
      const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices };
      const end = (): void => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      };
      return held.push({ asked, end });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, held };
}

async function statusOf(app: TestServer, content: string): Promise<number> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "far-model", messages: [{ role: "user", content }] }),
  });
  await response.text();
  return response.status;
}

/** Starts a server for each address of an engine, on one database. */
async function startServers(urls: readonly string[]): Promise<readonly TestServer[]> {
  const [databaseUrl, shared] = [await newPostgresUrl(), temporaryFolder()];
  const models = [{ id: "far-model", name: "m", contextTokens: 4096 }];
  const servers: TestServer[] = [];
  for (const [at, url] of urls.entries())
    servers.push(
      await startServer({
        environment: {
          HEARTH_DATA: join(temporaryFolder(), "data"),
          HEARTH_DATABASE_URL: databaseUrl,
          HEARTH_SERVER_NAME: `server-${at}`,
          HEARTH_SHARED_FOLDER: shared,
          HEARTH_ENGINES: JSON.stringify([{ kind: "openai", url, maxConcurrency: 4, models }]),
        },
      }),
    );
  return servers;
}

it("maxConcurrency of an engine holds for all servers of a database together, but for one while parts shift, and each has its part", async () => {
  const engine = await startEngine();
  const [one, two] = await startServers([engine.url, engine.url]);
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const answers = [one, two].flatMap((server, at) =>
    Array.from({ length: 20 }, () => statusOf(server, `at ${at}`)),
  );
  const loads = () => [one, two].map(({ app: { scheduler } }) => scheduler.load);
  await until(() => loads().every(({ running, waiting }) => running + waiting === 20));
  const asked: string[] = [];
  const endOne = (): void => {
    const ended = engine.held.shift();
    asked.push(ended?.asked ?? "");
    ended?.end();
  };
  // Until they know of each other, each has all slots.
  while (asked.length < 10 || engine.held.length > 4) {
    await until(() => engine.held.length >= 4);
    endOne();
  }
  let most = 0;
  for (let left = answers.length - asked.length; left > 0; left -= 1) {
    await until(() => engine.held.length >= Math.min(4, left));
    most = Math.max(most, engine.held.length);
    endOne();
  }
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
  expect(most).toBeLessThanOrEqual(5);
  expect(asked.slice(0, 30).filter((content) => content === "at 1").length).toBeGreaterThanOrEqual(8);
});

it("servers that have engines of their own share no slots", async () => {
  const [first, second] = [await startEngine(), await startEngine()];
  const servers = await startServers([first.url, second.url]);
  const answers = servers.flatMap((server) => Array.from({ length: 8 }, () => statusOf(server, "Hello")));
  await until(() => first.held.length === 4 && second.held.length === 4);
  for (let left = 16; left > 0; left -= 1) {
    await until(() => first.held.length + second.held.length > 0);
    (first.held.shift() ?? second.held.shift())?.end();
  }
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
});
