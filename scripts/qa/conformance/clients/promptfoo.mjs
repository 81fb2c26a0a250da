/** promptfoo's command line: an evaluation with the providers of OpenAI and Anthropic. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtIn, runFlows } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/promptfoo/dist/src/main.js");

/** @param {string} id of the provider @param {object} config of the provider @param {object} check of the answer */
function evaluate(id, config, check) {
  const folder = mkdtempSync(join(import.meta.dirname, "evaluation-"));
  const settings = {
    prompts: ["What is the weather in {{city}}?"],
    providers: [{ id, config: { apiKey: builtIn.key, temperature: 0, max_tokens: 100, ...config } }],
    tests: [{ vars: { city: "Paris" }, assert: [check] }],
  };
  const [file, output] = [join(folder, "promptfooconfig.json"), join(folder, "output.json")];
  writeFileSync(file, JSON.stringify(settings));
  const env = {
    ...process.env,
    HOME: folder,
    PROMPTFOO_CONFIG_DIR: folder,
    PROMPTFOO_DISABLE_TELEMETRY: "1",
    PROMPTFOO_DISABLE_UPDATE: "1",
    PROMPTFOO_DISABLE_REMOTE_GENERATION: "1",
  };
  const args = [program, "eval", "--no-cache", "-c", file, "-o", output];
  try {
    execFileSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: "pipe",
      timeout: 90_000,
    });
  } catch (thrown) {
    // 100: a check failed; the output says which.
    if (thrown.status !== 100) throw new Error(`${thrown.stderr}`.slice(-300), { cause: thrown });
  }
  const { results } = JSON.parse(readFileSync(output, "utf8")).results;
  assert.equal(results[0].error ?? null, null);
  assert.equal(results[0].success, true);
}

const hasWords = { type: "javascript", value: "/[a-z]{2}/i.test(output)" };
const openai = { apiBaseUrl: `${builtIn.url}/v1` };
const schema = {
  type: "object",
  properties: { sunny: { type: "boolean" } },
  required: ["sunny"],
  additionalProperties: false,
};
const response_format = { type: "json_schema", json_schema: { name: "report", strict: true, schema } };

await runFlows({
  chat: async () => evaluate(`openai:chat:${builtIn.model}`, openai, hasWords),
  responses: async () => evaluate(`openai:responses:${builtIn.model}`, openai, hasWords),
  anthropic: async () =>
    evaluate(`anthropic:messages:${builtIn.model}`, { apiBaseUrl: builtIn.url }, hasWords),
  "structured output": async () =>
    evaluate(
      `openai:chat:${builtIn.model}`,
      { ...openai, response_format },
      { type: "is-json", value: schema },
    ),
});
