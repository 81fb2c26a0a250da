import { describe, expect, it } from "vitest";
import { turnMsMin } from "../../../src/engine/memory/eviction.js";
import { systemClock } from "../../../src/system/clock.js";
import { seeded } from "../../kit/models/gguf-writer/weights.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer, type ServerOptions, type TestServer } from "../../kit/server.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";

const names = Array.from({ length: 10 }, (_, at) => `model-${at}`);
const requestsAtATime = 4;
const requests = 200;
/** Requests of one client that keeps a model busy. */
const busyRequestsMax = 30;

const bodyFor = (model: string) => ({
  model,
  messages: [{ role: "user" as const, content: "hello world" }],
  max_tokens: 12,
  seed: 5,
  deterministic: true,
});

/** Returns the models in memory, in order of id. */
function inMemory({ app }: TestServer): readonly string[] {
  return app.engine
    .residents()
    .map(({ id }) => id)
    .sort();
}

/** Returns the names of the model that a response states, and the text. */
async function ask({ client }: TestServer, model: string): Promise<readonly [name: string, text: string]> {
  const answer = await client.chat.completions.create(bodyFor(model));
  return [answer.model, answer.choices[0]?.message.content ?? ""];
}

/** The same as a stream. */
async function askStreamed(app: TestServer, model: string): Promise<readonly [name: string, text: string]> {
  const stream = await app.client.chat.completions.create({ ...bodyFor(model), stream: true });
  let [name, text] = ["", ""];
  for await (const { model: stated, choices } of stream) {
    const [choice] = choices;
    name = stated;
    text += choice?.delta.content ?? "";
  }
  return [name, text];
}

/** Records each model that is not in memory while it generates. */
function watchGenerations(app: TestServer): readonly string[] {
  const missing: string[] = [];
  const { engine } = app.app;
  const generate = engine.generate.bind(engine);
  engine.generate = async function* (model, job, signal) {
    for await (const event of generate(model, job, signal)) {
      if (!inMemory(app).includes(model.manifest.id)) missing.push(model.manifest.id);
      yield event;
    }
  };
  return missing;
}

/** Lets a run's lease end only once the next request for its model has come, so that the model is in use without a gap. */
function leaveNoGaps({ app: { engine } }: TestServer, models: readonly string[]): void {
  const load = engine.load.bind(engine);
  const releases = new Map<string, (() => void)[]>(models.map((model) => [model, []]));
  engine.load = async (model, signal) => {
    const ended = releases.get(model.manifest.id);
    const loading = load(model, signal);
    for (const release of ended?.splice(0) ?? []) release();
    const loaded = await loading;
    return ended === undefined
      ? loaded
      : { ...loaded, release: () => void ended.push(() => loaded.release()) };
  };
}

/** Starts a server with memory for two of ten models, and returns what each answers alone. */
async function startWithTwoOfTen(overrides: Pick<ServerOptions, "clock"> = {}) {
  const folder = temporaryFolder();
  for (const [index, name] of names.entries())
    await writeVerifiedModel(folder, name, { seed: index + 1, contextLength: 256 });
  const roomy = await startServer({ environment: { HEARTH_MODELS: folder } });
  const alone = new Map<string, string>();
  for (const name of names) alone.set(name, (await ask(roomy, name))[1]);
  expect(new Set(alone.values()).size).toBe(names.length);
  const bytes = roomy.app.engine.residents().find(({ id }) => id === names[0])?.bytes ?? 0;
  const HEARTH_MEMORY_BYTES_MAX = String(Math.floor(2.5 * bytes));
  const app = await startServer({
    environment: { HEARTH_MODELS: folder, HEARTH_MEMORY_BYTES_MAX },
    ...overrides,
  });
  return { app, alone };
}

describe("ten models of which two fit into memory", () => {
  it("answer 200 random requests each as alone, and none is unloaded in mid-stream", async () => {
    const { app, alone } = await startWithTwoOfTen();
    const missing = watchGenerations(app);
    const random = seeded(22);
    const seen = new Set<string>();
    let left = requests;
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const model = names[Math.floor(random() * names.length)] ?? "";
        const answer = await (random() < 0.3 ? askStreamed(app, model) : ask(app, model));
        expect(answer).toEqual([model, alone.get(model)]);
        const loaded = inMemory(app);
        expect(loaded.length).toBeLessThanOrEqual(2);
        for (const name of loaded) seen.add(name);
      }
    };
    await Promise.all(Array.from({ length: requestsAtATime }, client));
    expect(missing).toEqual([]);
    expect([...seen].sort()).toEqual(names);
  });

  it("answer a request for a third model while requests keep two of them busy without a gap", async () => {
    let passedMs = 0;
    const monotonic = (): number => systemClock.monotonic() + passedMs;
    const { app, alone } = await startWithTwoOfTen({ clock: { ...systemClock, monotonic } });
    const missing = watchGenerations(app);
    const [first = "", second = "", third = ""] = names;
    leaveNoGaps(app, [first, second]);
    await Promise.all([ask(app, first), ask(app, second)]);
    passedMs += turnMsMin;

    let isAnswered = false;
    const keepBusy = async (model: string): Promise<void> => {
      for (let at = 0; at < busyRequestsMax && !isAnswered; at += 1)
        expect(await ask(app, model)).toEqual([model, alone.get(model)]);
    };
    const busy = [keepBusy(first), keepBusy(second)];
    const answer = await Promise.race([ask(app, third), Promise.all(busy).then(() => "not answered")]);
    isAnswered = true;
    expect(answer).toEqual([third, alone.get(third)]);
    await Promise.all(busy);
    expect(missing).toEqual([]);
  });
});
