import { expect, it } from "vitest";
import type { ScriptedServer } from "../kit/server.js";
import { headersOf } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { gate, until } from "../kit/until.js";
import { startNodes } from "./nodes.js";

const request = { model: "ember-1m", input: "Hello", background: true, stream: true };

function create(node: ScriptedServer, more: object = {}): Promise<Response> {
  return fetch(`${node.url}/v1/responses`, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: JSON.stringify({ ...request, ...more }),
  });
}

function get(node: ScriptedServer, path: string): Promise<Response> {
  return fetch(`${node.url}/v1/responses/${path}`, { headers: headersOf(keys.ada) });
}

/** Reads a stream until a text has come. */
async function readUntil(
  response: Response,
  wanted: string,
): Promise<{ rest: Promise<string>; text: string }> {
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  while (!text.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended: ${text}`);
    text += value;
  }
  const rest = async (): Promise<string> => {
    let all = text;
    for (let read = await reader.read(); !read.done; read = await reader.read()) all += read.value;
    return all;
  };
  return { rest: rest(), text };
}

it("the stream of a background response is the same on every server, live and replayed", async () => {
  const held = gate();
  const script = () => ["Good ", "day", held.opened, "."];
  const [one, two] = await startNodes([script, script]);
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const created = await create(one);
  const here = await readUntil(created, '"delta":"day"');
  const id = /resp_\w+/.exec(here.text)?.[0] ?? "";
  const there = await readUntil(await get(two, `${id}?stream=true`), '"delta":"day"');
  const later = await readUntil(await get(two, `${id}?stream=true&starting_after=2`), '"delta":"day"');
  held.open();
  const whole = await here.rest;
  expect(whole).toContain("response.completed");
  expect(await there.rest).toBe(whole);
  const tail = await later.rest;
  expect(tail).toContain("response.completed");
  expect(whole.endsWith(tail)).toBe(true);
  expect(await (await get(two, `${id}?stream=true`)).text()).toBe(whole);
  expect(await (await get(one, `${id}?stream=true`)).text()).toBe(whole);
});

it("a response whose job another server has taken streams to the client that created it", async () => {
  const [one, two] = await startNodes([() => ["of one"], () => ["of ", "two"]], {
    config: { jobsActiveMax: 1 },
  });
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const texts: string[] = [];
  void Promise.all(
    Array.from({ length: 6 }, async (_, index) => (await create(index % 2 === 0 ? one : two)).text()),
  ).then((all) => texts.push(...all));
  // A server that hears nothing of a job looks for it after a while.
  await until(() => {
    for (const { clock } of [one, two]) clock.advance(100);
    return texts.length === 6;
  });
  for (const text of texts) {
    expect(text).toContain("response.completed");
    expect(text.match(/"sequence_number":\d+/g)?.map((each) => Number(each.split(":")[1]))).toEqual(
      Array.from({ length: text.split("data: ").length - 2 }, (_, number) => number),
    );
  }
});

it("a follower comes to an end when the server that generates has closed", async () => {
  const held = gate();
  const script = () => ["Good", held.opened, " day"];
  const [one, two] = await startNodes([script, script]);
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const created = await readUntil(await create(one), '"delta":"Good"');
  const id = /resp_\w+/.exec(created.text)?.[0] ?? "";
  const followed = await readUntil(await get(two, `${id}?stream=true`), '"delta":"Good"');
  // A server that closes does not wait for its own clients here.
  created.rest.catch(() => undefined);
  await one.close();
  held.open();
  let isEnded = false;
  void followed.rest.then(() => (isEnded = true));
  await until(() => {
    two.clock.advance(2_000);
    return isEnded;
  });
  expect(await followed.rest).toMatch(/data: \[DONE\]/);
});
