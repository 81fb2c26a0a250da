import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { fileServer } from "../kit/server.js";
import { testKey } from "../kit/server/settings.js";
import { blocksOf, userDocuments } from "./documents.js";
import { isRun, runBlocks } from "./run-block.js";

const managementKey = "management-key-of-the-examples";
const app = fileServer({ environment: { HEARTH_MANAGEMENT_KEY: managementKey } });
const server = () => ({ url: app().url, apiKey: testKey, managementKey });

const documents = userDocuments().map(({ path, text }) => [path, blocksOf(text)] as const);
const blocksTimeoutMs = 600_000;

describe("the examples of the documents", () => {
  it.each(documents)(
    "%s: every block of curl or JavaScript succeeds on a server with the built-in models",
    async (_, blocks) => {
      expect(await runBlocks(blocks.filter(isRun), server())).toEqual([]);
    },
    blocksTimeoutMs,
  );

  it.each(documents)("%s: every block of Python is valid where python3 is installed", (_, blocks) => {
    const python = blocks.filter(({ language }) => language === "python" || language === "py");
    const parse = "import ast, sys; ast.parse(sys.stdin.read())";
    const isInstalled = spawnSync("python3", ["--version"]).status === 0;
    const invalid = python.filter(
      ({ code }) => isInstalled && spawnSync("python3", ["-c", parse], { input: code }).status !== 0,
    );
    expect(invalid).toEqual([]);
  });
});

describe("the check of examples", () => {
  const run = (language: string, code: string) => runBlocks([{ language, code }], server());

  it("runs blocks of curl and JavaScript, and no others", () => {
    const blocks = blocksOf(
      "```sh\nnpm start\n```\n\n```sh\ncurl -V\n```\n\n- ```js\n  1;\n  ```\n\n```ts\n1;\n```\n",
    );
    expect(blocks.filter(isRun).map(({ code }) => code)).toEqual(["curl -V", "1;"]);
  });

  it("puts the server and its keys in the place of those that are written", async () => {
    const keys = `curl http://127.0.0.1:4280/v1/api-key -H 'Authorization: Bearer hk-your-key'
curl http://127.0.0.1:4280/auth/teams -H 'Authorization: Bearer hm-your-key'`;
    expect(await run("sh", keys)).toEqual([]);
    const client = `import OpenAI from "openai";
const client = new OpenAI({ baseURL: "http://127.0.0.1:4280/v1", apiKey: "hk-your-key" });
const { data } = await client.models.list();
if (data.length === 0) throw new Error("no models");`;
    expect(await run("js", client)).toEqual([]);
  });

  it("lets a block find the files of an earlier one", async () => {
    const write = { language: "sh", code: "curl http://127.0.0.1:4280/healthz -o health.json" };
    const read = {
      language: "js",
      code: 'import "node:fs"; await import("./health.json", { with: { type: "json" } });',
    };
    expect(await runBlocks([write, read], server())).toEqual([]);
  });

  it.each([
    ["sh", "curl http://127.0.0.1:4280/nothing", /curl ended with 22.*There|no such path/s],
    ["sh", "curl http://127.0.0.1:4280/v1/models | cat", /curl ended with 22.*missing_api_key/s],
    ["sh", "curl http://127.0.0.1:4280/healthz; false; true", /ended with 1/],
    ["js", 'throw new Error("no models");', /ended with 1.*no models/s],
    ["js", "process.exit(3);", /ended with 3/],
  ])("finds that a block of %s fails: %s", async (language, code, problem) => {
    expect(await run(language, code)).toEqual([expect.stringMatching(problem)]);
  });
});
