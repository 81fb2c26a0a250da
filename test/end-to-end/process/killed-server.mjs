/**
 * The built server over the scripted engine, in a process that kills itself with SIGKILL, before or after step KILL_AT. A step is a
 * statement of the database or a piece of an answer, counted from the time at which the server listens. A prompt with the word "deadly" ends it by an
 * uncaught error.
 */
import Sqlite from "better-sqlite3";

/** @param {string} file */
const built = (file) => import(new URL(`../../../dist/${file}`, import.meta.url).href);

const [{ createApp }, { loadConfig }, { createScriptedEngine }] = await Promise.all([
  built("app/app.js"),
  built("config.js"),
  built("engine/scripted.js"),
]);

const killAt = Number(process.env["KILL_AT"]);
const killsBefore = process.env["KILL_SIDE"] === "before";
let steps = Number.NEGATIVE_INFINITY;

/**
 * @template T
 * @param {() => T} action
 */
function step(action) {
  steps += 1;
  if (steps === killAt && killsBefore) process.kill(process.pid, "SIGKILL");
  const result = action();
  if (steps === killAt) process.kill(process.pid, "SIGKILL");
  return result;
}

const statements = Object.getPrototypeOf(new Sqlite(":memory:").prepare("select 1"));
for (const verb of ["run", "all", "get"]) {
  const plain = statements[verb];
  /** @param {unknown[]} values */
  statements[verb] = function (...values) {
    return step(() => plain.apply(this, values));
  };
}

/** @param {string} prompt */
function* answer(prompt) {
  if (prompt.includes("deadly")) {
    setImmediate(() => {
      throw new RangeError("planted");
    });
    yield new Promise(() => undefined);
  }
  for (const word of ["You", " said", ` ${/question-\d+/.exec(prompt)?.[0]}.`]) {
    step(() => undefined);
    yield word;
    // The other work of the server comes between.
    yield new Promise((resolve) => void setImmediate(resolve));
  }
}

const engine = createScriptedEngine(answer, { contextTokens: 8192, slots: 4 });
const app = await createApp(loadConfig(process.env).config, { engine });
steps = 0;
const { url } = await app.listen();
process.once("SIGTERM", () => void app.close().then(() => process.exit(0)));
process.stdout.write(`listening on ${url}\n`);
