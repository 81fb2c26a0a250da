/** Engines that keep a connection open and say nothing of an answer: of every kind, in every way. */
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../kit/manual-clock.js";
import {
  beginStream,
  event,
  rawKinds,
  writeForever,
  type RawFrames,
  type RawKind,
} from "../../kit/doubles/engines/raw.js";
import { until } from "../../kit/until.js";
import { placeOnRaw, post, type PlacedOnRaw } from "./placed-raw.js";

/** The clock of the server of all tests: it stands still until one of them moves it. */
const clock = createManualClock(Date.now());
const placed = placeOnRaw({ clock });

interface Asked {
  readonly app: PlacedOnRaw;
  readonly answer: Promise<readonly [status: number, body: string]>;
  readonly isAnswered: () => boolean;
}

/** Requests an answer of an engine that answers so. */
async function ask(
  kind: RawKind,
  answering: (response: ServerResponse, frames: RawFrames) => void,
): Promise<Asked> {
  const app = placed.on(kind);
  let began = 0;
  app.engine.answer = (response, frames) => {
    answering(response, frames);
    began += 1;
  };
  let isAnswered = false;
  const messages = [{ role: "user", content: "Hello" }];
  const answer = post(app, "/v1/chat/completions", { model: app.model, messages, max_tokens: 20 })
    .then(async (response) => [response.status, await response.text()] as const)
    .finally(() => (isAnswered = true));
  await until(() => began === 1);
  return { app, answer, isAnswered: () => isAnswered };
}

/** Lets time pass in steps, between which the server works, until a request is answered. @returns the seconds */
async function waitForEnd(asked: Asked, secondsMax: number, step = 1): Promise<number> {
  const { isAnswered } = asked;
  let seconds = 0;
  // What the engine sent at once is read before time goes on.
  await letWork(asked);
  while (!isAnswered() && seconds < secondsMax) {
    clock.advance(step * 1_000);
    seconds += step;
    await letWork(asked);
  }
  await until(isAnswered);
  return seconds;
}

/** Waits until the server's worker and its connections have done what was due. */
async function letWork({ app }: Pick<Asked, "app">): Promise<void> {
  const model = app.app.models.find(app.model);
  // The worker answers in order.
  if (app.engine.kind !== "openai" && model !== null) await app.app.engine.tokenize(model, "a");
  // What was sent between the server and its engine, which are in this process, was sent before these answers.
  for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${app.url}/healthz`)).arrayBuffer();
}

const silences: Readonly<Record<string, (response: ServerResponse, frames: RawFrames) => void>> = {
  "never answers": () => undefined,
  "sends headers alone": (response) => beginStream(response),
  "sends comments": (response) => {
    beginStream(response);
    response.write(": ping\n\n: ping\n\n");
  },
  "sends events without a part of the answer": (response, { empty }) => {
    beginStream(response);
    response.write(empty + empty);
  },
  "sends the beginning of a line": (response) => {
    beginStream(response);
    response.write('data: {"choices": [');
  },
  "stops after its first tokens": (response, frames) => {
    beginStream(response);
    response.write(frames.token() + frames.token());
  },
};

describe.each(rawKinds)("F23: an engine of the kind %s", (kind) => {
  it.each(Object.entries(silences))("that %s is given up after 600 s", async (_, answering) => {
    const asked = await ask(kind, answering);
    const seconds = await waitForEnd(asked, 700, 100);
    const [status, body] = await asked.answer;
    expect([status, body]).toEqual([503, expect.stringContaining("sent nothing of the answer for 600 s")]);
    expect(seconds).toBeGreaterThanOrEqual(600);
    await until(() => asked.app.engine.ended === 1);
  });

  it.each([
    ["fail", false],
    ["are not answered", null],
  ])("that is silent while its checks %s is given up within a minute", async (_, isHealthy) => {
    const asked = await ask(kind, (response) => beginStream(response));
    asked.app.engine.isHealthy = isHealthy;
    if (isHealthy === null) asked.app.engine.other = (_path, response) => response.destroy() !== null;
    const seconds = await waitForEnd(asked, 700);
    expect((await asked.answer)[0]).toBe(503);
    expect(seconds).toBeGreaterThanOrEqual(15);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it("that says why its answer ends, and keeps the connection open, is not waited for", async () => {
    const asked = await ask(kind, (response, frames) => {
      beginStream(response);
      response.write(frames.token() + frames.token() + frames.finish);
    });
    const seconds = await waitForEnd(asked, 30);
    const [status, body] = await asked.answer;
    expect([status, body]).toEqual([200, expect.stringContaining('"finish_reason":"stop"')]);
    expect(seconds).toBeLessThanOrEqual(6);
    await until(() => asked.app.engine.ended === 1);
  });

  it("that goes on with empty events after its end is not waited for", async () => {
    const asked = await ask(kind, (response, frames) => {
      beginStream(response);
      response.write(frames.token() + frames.finish);
      const send = (): void => {
        if (!response.destroyed) setImmediate(() => response.write(frames.empty, send));
      };
      send();
    });
    const seconds = await waitForEnd(asked, 30);
    expect((await asked.answer)[0]).toBe(200);
    expect(seconds).toBeLessThanOrEqual(6);
  });

  it.each([
    ["events", (frames: RawFrames) => frames.empty],
    ["comments", () => `: ${"ping ".repeat(200)}\n\n`],
  ])("that sends empty %s as fast as it can is given up by their bytes", async (_, next) => {
    const asked = await ask(kind, (response, frames) => {
      beginStream(response);
      writeForever(response, () => next(frames));
    });
    expect(await asked.answer).toEqual([
      503,
      expect.stringMatching(/sent \d+ bytes without a part of the answer/),
    ]);
    await until(() => asked.app.engine.ended === 1);
  });
});

it("F23: a server of texts that has said how many tokens its answer has is not waited for", async () => {
  const asked = await ask("openai", (response, frames) => {
    beginStream(response);
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    response.write(frames.token() + frames.token() + frames.finish + event({ choices: [], usage }));
  });
  expect(JSON.parse((await asked.answer)[1])).toMatchObject({
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  });
});

it("F23: a llama-server that evaluates more and more of a prompt is not silent", async () => {
  let open: ServerResponse | null = null;
  let frames: RawFrames | null = null;
  const asked = await ask("llama-server", (response, own) => {
    beginStream(response);
    [open, frames] = [response, own];
  });
  const write = async (text: string): Promise<void> => {
    await new Promise<void>((resolve) => open?.write(text, () => resolve()));
    // What was written is read before time goes on.
    for (let turn = 0; turn < 10; turn += 1) await letWork(asked);
  };
  for (const processed of [1, 2, 3]) {
    await write(event({ prompt_progress: { total: 4, cache: 0, processed } }));
    for (let seconds = 0; seconds < 400; seconds += 100) {
      clock.advance(100_000);
      await letWork(asked);
    }
    expect(asked.isAnswered()).toBe(false);
  }
  const { token = () => "", finish = "" } = frames ?? ({} as Partial<RawFrames>);
  await write(token() + finish);
  expect((await asked.answer)[0]).toBe(200);
});
