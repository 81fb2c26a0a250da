import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer, fileServer } from "../kit/server.js";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { gate, until } from "../kit/until.js";
import { exchange } from "../kit/clients/raw.js";

const shared = fileServer({ engine: () => ["Good"] });

interface Told {
  readonly headers: IncomingMessage["headers"];
  readonly trailers: NodeJS.Dict<string>;
  readonly body: string;
}

/** Sends a request with a client that reads trailers. */
function send(server: ScriptedServer, body: object): Promise<Told> {
  return new Promise((resolve, reject) => {
    const init = { method: "POST", headers: headersOf(keys.ada) };
    const sent = request(`${server.url}/v1/chat/completions`, init, (answer) => {
      const { headers, trailers } = answer;
      text(answer).then((body) => resolve({ headers, trailers, body }), reject);
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

/** An answer that waited 30 ms for its slot and 40 ms for its first word, and had two more words 500 ms later. */
async function timed(stream: boolean): Promise<Told> {
  const [neighbour, prefill, decode] = [gate(), gate(), gate()];
  const script = (prompt: string) =>
    prompt.includes("Hello") ? [prefill.opened, "Good", decode.opened, " day friend."] : [neighbour.opened];
  const server = await startServer({ engine: script, slots: 1, cachedTokens: 2 });
  const { clock, engine, scheduler } = server;
  const first = post(server, { ...hello, messages: [{ role: "user", content: "Wait" }] });
  await until(() => engine.active === 1);
  const starting = server.nextRun();
  const answer = send(server, { ...hello, stream });
  const { timings } = await starting;
  await until(() => scheduler.load.waiting === 1);
  clock.advance(30);
  neighbour.open();
  await until(() => engine.jobs.length === 2);
  clock.advance(40);
  prefill.open();
  await until(() => timings.ttftMs !== null);
  clock.advance(500);
  decode.open();
  await first;
  return answer;
}

const headerNames = ["queue-ms", "cached-tokens", "prefill-ms", "ttft-ms", "decode-tps"];
const received = (fields: NodeJS.Dict<string | string[]>) =>
  headerNames.map((name) => fields[`x-hearth-${name}`] ?? null);

describe("the timings of an answer", () => {
  it("are in the headers of a JSON answer", async () => {
    const { headers, trailers } = await timed(false);
    expect(received(headers)).toEqual(["30", "2", "40", "70", "4.0"]);
    expect(headers).not.toHaveProperty("trailer");
    expect(trailers).toEqual({});
  });

  it("are in the headers of a stream as far as they are known at its start, and in its trailers", async () => {
    const { headers, trailers, body } = await timed(true);
    expect(received(headers)).toEqual(["30", "2", null, null, null]);
    expect(headers["trailer"]).toBe(
      "x-hearth-prefill-ms, x-hearth-ttft-ms, x-hearth-decode-tps, x-hearth-cost-ticks",
    );
    expect(received(trailers)).toEqual([null, null, "40", "70", "4.0"]);
    expect(body).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("omit the speed of a single token", async () => {
    const { headers } = await send(shared(), hello);
    expect(received(headers)).toEqual(["0", "0", "0", "0", null]);
  });

  it("are in the trailers of a stream that fails half-way", async () => {
    const failing = await startServer({ engine: () => ["Good", new Error("out of luck")] });
    const { trailers, body } = await send(failing, { ...hello, stream: true });
    expect(body).toContain("internal_error");
    expect(received(trailers)).toEqual([null, null, "0", "0", null]);
  });

  it("are not sent as trailers to a client of HTTP/1.0, which still receives its stream", async () => {
    const server = shared();
    const body = JSON.stringify({ ...hello, stream: true });
    const answer = await exchange(
      server.port,
      `POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer.toLowerCase()).not.toContain("\r\ntrailer:");
    expect(answer).toMatch(/data: \[DONE\]\n\n$/);
  });
});
