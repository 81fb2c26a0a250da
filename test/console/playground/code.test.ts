import { execFileSync } from "node:child_process";
import vm from "node:vm";
import { transform } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  noSettings,
  toChatRequest,
  type PlaygroundRequest,
} from "../../../src/console/pages/playground/request.js";
import { writeCode, pythonLiteral, shellQuoted } from "../../../src/console/pages/playground/code/code.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const origin = "http://127.0.0.1:4280";
const awkward = `it's "quoted" \\ $HOME \`id\` !! %s\n'\\''\ttab – 🐈 </script>`;

describe("the code of a request", () => {
  test("any text is one word of a shell", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!text.includes("\0"));
        expect(shell(`printf %s ${shellQuoted(text)}`)).toBe(text);
      }),
      { numRuns: casesOf(200), examples: [[awkward], ["'"], [""]] },
    );
  });

  test("the curl command sends the request, with the key of the environment", () => {
    const request = requestWith(awkward);
    const words = wordsOfCurl(writeCode("curl", origin, request), "key with 'quotes'");
    expect(words.slice(0, -1)).toEqual([
      "-N",
      `${origin}/v1/chat/completions`,
      "-H",
      "Authorization: Bearer key with 'quotes'",
      "-H",
      "Content-Type: application/json",
      "-d",
    ]);
    expect(JSON.parse(words.at(-1) ?? "")).toEqual({ ...request, stream: true });
  });

  test("a request that is too long for an argument is the input of curl", () => {
    const request = requestWith(`${awkward}\nJSON\n${"x".repeat(200_000)}`);
    const code = writeCode("curl", origin, request);
    expect(JSON.parse(shell(`curl() { cat; }\n${code}`))).toEqual({ ...request, stream: true });
  });

  test("the TypeScript program sends the request", async () => {
    const plain = requestWith(awkward);
    const { tools: _, ...withoutTools } = plain;
    expect(await sentByTypescript(plain)).toEqual(plain);
    expect(await sentByTypescript(withoutTools)).toEqual({ ...withoutTools, stream: true });
  });

  test("the Python program has the values of Python", () => {
    expect(pythonLiteral({ a: [true, false, null, 1.5, awkward], b: {}, c: [] })).toBe(
      `{\n    "a": [\n        True,\n        False,\n        None,\n        1.5,\n        ${JSON.stringify(awkward)},\n    ],\n` +
        `    "b": {},\n    "c": [],\n}`,
    );
    const code = writeCode("python", origin, requestWith("hi"));
    expect(code).toContain(`client = OpenAI(base_url="${origin}/v1", api_key=os.environ["OPENAI_API_KEY"])`);
    expect(code).toContain(`    model="tiny",\n    messages=[\n`);
    expect(code).toContain(`    temperature=0,\n`);
  });
});

/** A request with every setting, and a text in several places. */
function requestWith(text: string): PlaygroundRequest {
  const tools = JSON.stringify([{ type: "function", function: { name: "look_up", description: text } }]);
  const schema = JSON.stringify({ type: "object", description: text });
  const settings = { ...noSettings, model: "tiny", system: text, tools, schema, temperature: "0", seed: "7" };
  return toChatRequest(settings, [{ id: 1, role: "user", text, files: [] }]);
}

/** Returns the words that curl receives. */
function wordsOfCurl(code: string, key: string): readonly string[] {
  return shell(`curl() { printf '%s\\0' "$@"; }\n${code}`, { OPENAI_API_KEY: key }).split("\0").slice(0, -1);
}

/** Returns what a shell prints that runs a script. */
function shell(script: string, environment: Record<string, string> = {}): string {
  return execFileSync("sh", ["-s"], {
    encoding: "utf8",
    env: environment,
    input: script,
    maxBuffer: 2 ** 24,
  });
}

/** Runs the program with a client that keeps what it is to send. */
async function sentByTypescript(request: PlaygroundRequest): Promise<unknown> {
  const sent: string[] = [];
  class OpenAI {
    readonly chat = {
      completions: {
        create: (body: unknown) => {
          sent.push(JSON.stringify(body));
          return Object.assign([], { choices: [] });
        },
      },
    };
  }
  const program = writeCode("typescript", origin, request).replace('import OpenAI from "openai";', "");
  const { code } = await transform(`(async () => { ${program} })()`, { loader: "ts" });
  await vm.runInNewContext(code, { OpenAI, process: { env: {} }, console: { log: () => undefined } });
  return JSON.parse(sent[0] ?? "null");
}
