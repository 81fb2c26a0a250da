/** Measures how long the event loop is blocked by the largest bodies that the server accepts. */
import { postJson, readText } from "../../world/client.js";
import { tinyModel, spawnServer, type ServerProcess } from "../../world/server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";
import { startLagProbe } from "../../world/lag.js";

const rounds = 6;
const sentence = "The event loop answers others meanwhile. ";
const text = (bytes: number): string => sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes);
const messages = Array.from({ length: 9_000 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: sentence,
}));

/** Path and body by what is large. Most are refused in the end, as too long for the context of the model. */
const bodies: Readonly<Record<string, readonly [path: string, body: object]>> = {
  "tokenize-text of 128 KiB": ["/v1/tokenize-text", { model: tinyModel, text: text(131_072) }],
  "tokenize-text of a hosted model, 128 KiB": ["/v1/tokenize-text", { model: "gpt-4o", text: text(131_072) }],
  "9,000 messages": ["/v1/chat/completions", { model: tinyModel, messages }],
  "9,000 items of a response": ["/v1/responses", { model: tinyModel, input: messages }],
  "a message of 16 MB": [
    "/v1/chat/completions",
    { model: tinyModel, messages: [{ role: "user", content: text(16_000_000) }] },
  ],
};

export async function bodyRows(): Promise<readonly Row[]> {
  const server = await spawnServer();
  try {
    const rows: Row[] = [];
    for (const [name, [path, body]] of Object.entries(bodies)) {
      const idle = await lagDuring(server, async () => {
        for (let nth = 0; nth < rounds; nth += 1) await fetch(`${server.url}/healthz`);
      });
      const json = JSON.stringify(body);
      let status = 0;
      const busy = await lagDuring(server, async () => {
        for (let nth = 0; nth < rounds; nth += 1) status = await send(server, path, json);
      });
      const lag = quantile(busy, 0.99) - quantile(idle, 0.5);
      rows.push(
        toRow(`lag of GET /healthz beside ${name} (${status}), p99`, `${lag.toFixed(1)} ms`, "<= 50 ms"),
      );
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** Returns the response times of /healthz while an action runs, at least for a second. */
async function lagDuring({ url }: ServerProcess, action: () => Promise<void>): Promise<readonly number[]> {
  const probe = startLagProbe(url);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await action();
  return probe.stop();
}

async function send({ url, key }: ServerProcess, path: string, body: string): Promise<number> {
  const answer = await postJson(`${url}${path}`, body, { authorization: `Bearer ${key}` });
  await readText(answer);
  return answer.status;
}
