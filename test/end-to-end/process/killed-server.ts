/**
 * The built server over the scripted engine, in a process that kills itself with SIGKILL, before or after step KILL_AT. A step is a
 * statement of the database or a piece of an answer, counted from the time at which the server listens. A prompt with the word "deadly" ends it by an
 * uncaught error.
 */
import Sqlite from "better-sqlite3";
import type * as app from "../../../src/app/app.js";
import type * as config from "../../../src/config/config.js";
import { createScriptedEngine, type ScriptStep } from "../../kit/scripted/engine.js";

const built = (file: string): Promise<unknown> =>
  import(new URL(`../../../dist/${file}`, import.meta.url).href);
const { createApp } = (await built("app/app.js")) as typeof app;
const { loadConfig } = (await built("config/config.js")) as typeof config;

const killAt = Number(process.env["KILL_AT"]);
const killsBefore = process.env["KILL_SIDE"] === "before";
let steps = Number.NEGATIVE_INFINITY;

function step<T>(action: () => T): T {
  steps += 1;
  if (steps === killAt && killsBefore) process.kill(process.pid, "SIGKILL");
  const result = action();
  if (steps === killAt) process.kill(process.pid, "SIGKILL");
  return result;
}

type Verb = (this: unknown, ...values: unknown[]) => unknown;
const prepared: unknown = Object.getPrototypeOf(new Sqlite(":memory:").prepare("select 1"));
const statements = prepared as Record<"run" | "all" | "get", Verb>;
for (const verb of ["run", "all", "get"] as const) {
  const plain = statements[verb];
  statements[verb] = function (...values) {
    return step(() => plain.apply(this, values));
  };
}

function* answer(prompt: string): Iterable<ScriptStep> {
  if (prompt.includes("deadly")) {
    setImmediate(() => {
      throw new RangeError("planted");
    });
    yield new Promise(() => undefined);
  }
  for (const word of ["You", " said", ` ${/question-\d+/.exec(prompt)?.[0] ?? ""}.`]) {
    step(() => undefined);
    yield word;
    // The other work of the server comes between.
    yield new Promise((resolve) => void setImmediate(resolve));
  }
}

const engine = createScriptedEngine(answer, { contextTokens: 8192, slots: 4 });
const server = await createApp(loadConfig(process.env).config, { engine });
steps = 0;
const { url } = await server.listen();
process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
process.stdout.write(`listening on ${url}\n`);
