/** What the programs of this folder share: the servers, the run of their flows, and questions with known answers. */
import assert from "node:assert/strict";

/**
 * @typedef {{ readonly url: string, readonly key: string, readonly model: string }} Server the address has no `/v1`
 */

/** The built-in models: chat, `hearth-embed-1m`, `hearth-painter-3m`. @type {Server} */
export const builtIn = readServer("BUILT_IN");

/** A scripted model: it calls a tool for the weather or a handoff once, and repeats the result of the tool. @type {Server} */
export const scripted = readServer("SCRIPTED");

export const embedder = "hearth-embed-1m";
export const question = "What is the weather in Paris?";
/** What the tools of the programs return; the scripted model repeats it. */
export const sky = "clear-sky-4711";
/** What the scripted model answers where it has no tool. */
export const greeting = "Greetings from the scripted model.";

/** Runs flows one after another and prints what came of each in a line. @param {Record<string, () => Promise<void>>} flows */
export async function runFlows(flows) {
  for (const [flow, run] of Object.entries(flows)) {
    const problem = await run().then(
      () => null,
      (thrown) => describe(thrown),
    );
    process.stdout.write(`\nflow ${JSON.stringify({ flow, problem })}\n`);
  }
  // Some clients keep connections or timers.
  process.exit(0);
}

/** Collects a stream. @template T @param {AsyncIterable<T>} stream @returns {Promise<T[]>} */
export async function collect(stream) {
  const all = [];
  for await (const each of stream) all.push(each);
  return all;
}

/** Checks an answer of the built-in model: which words it has does not matter. @param {unknown} text */
export function assertWords(text) {
  assert.equal(typeof text, "string");
  assert.match(String(text), /\p{Letter}{2}/u);
}

/** Checks an answer that repeats the result of the tool. @param {unknown} text */
export function assertRepeatsSky(text) {
  assert.equal(typeof text, "string");
  assert.ok(String(text).includes(sky), `'${sky}' is missing in: ${String(text).slice(0, 200)}`);
}

/** Checks vectors of "a cat", "a kitten", "tax law": the first two are nearer to each other. @param {readonly (readonly number[])[]} vectors */
export function assertNear(vectors) {
  assert.equal(vectors.length, 3);
  const [cat = [], kitten = [], law = []] = vectors;
  assert.ok(cat.length > 8);
  const product = (/** @type {readonly number[]} */ a, /** @type {readonly number[]} */ b) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  assert.ok(product(cat, kitten) > product(cat, law), "a cat is nearer to tax law than to a kitten");
}

export const threeTexts = ["a cat on a mat", "a kitten on a rug", "the tax law of the country"];

/** Checks that a call fails as the client reports it. @param {Promise<unknown>} call @param {RegExp} pattern of the message */
export async function assertFails(call, pattern) {
  const thrown = await call.then(
    () => null,
    (/** @type {unknown} */ error) => error,
  );
  assert.notEqual(thrown, null, "the request was answered");
  assert.match(describe(thrown), pattern);
}

/** @param {unknown} thrown */
function describe(thrown) {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, 400);
  const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : "";
  return `${thrown.name}: ${thrown.message}${cause}`.replaceAll(/\s+/g, " ").slice(0, 400);
}

/** @param {string} name @returns {Server} */
function readServer(name) {
  const of = (/** @type {string} */ part) => process.env[`${name}_${part}`] ?? "";
  return { url: of("URL"), key: of("KEY"), model: of("MODEL") };
}
