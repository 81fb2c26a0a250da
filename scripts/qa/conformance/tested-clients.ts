/**
 * Client libraries that are dependencies for tests: `npm test` runs their flows, and so does this, by the same files. A flow is the tests
 * of a file, or those whose names have the given text.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { root } from "../world/root.js";
import { scratchFolder, spawnProcess } from "../world/processes.js";
import { parseTestReport, type TestReport } from "../world/test-report.js";
import type { FlowResult } from "./flows.js";

export interface TestedClient {
  /** The npm package; of a client that no package has, what people call it. */
  readonly name: string;
  /** The version whose requests the tests repeat; absent: the package's own. */
  readonly version?: string;
  readonly flows: Readonly<Record<string, Tests>>;
}

interface Tests {
  /** From `test/`, without `.test.ts`. */
  readonly file: string;
  /** A part of the full names of the tests; absent: all tests of the file. */
  readonly named?: string;
  /** A part of the name of a test that a run over llama-server leaves out, because it is about what only the engine in the process does. */
  readonly exceptOnLlamaServer?: string;
}

const runMsMax = 900_000;
const clients = "end-to-end/clients";
const aiSdk = (named: string): Tests => ({ file: `${clients}/ai-sdk`, named: `the AI SDK's ${named}` });
const langchain = (named: string): Tests => ({ file: `${clients}/langchain`, named: `LangChain's ${named}` });
const copilot = (named: string): Tests => ({ file: `${clients}/copilot`, named });

export const testedClients: readonly TestedClient[] = [
  {
    name: "openai",
    flows: {
      chat: {
        file: "end-to-end/text/chat",
        // There a slot is reused where at least half of what it holds, the answer included, is kept.
        exceptOnLlamaServer: "skips the part of the prompt that its team has in the cache",
      },
      "tools and structured output": { file: `${clients}/openai` },
      responses: { file: `${clients}/openai-responses` },
      websocket: { file: "http/inference/websocket/responses", named: "answers the official client" },
      conversations: { file: "http/inference/conversations/stored" },
      "stored chats": { file: "http/inference/chat/stored" },
      embeddings: { file: "end-to-end/embeddings/clients", named: "OpenAI's client" },
      images: { file: "end-to-end/images/gpt-image" },
      files: { file: "http/inference/files/files", named: "serves OpenAI's client" },
      batches: { file: "http/inference/batches/batches" },
    },
  },
  {
    name: "@anthropic-ai/sdk",
    flows: {
      messages: { file: "end-to-end/text/messages" },
      "tools and structured output": { file: `${clients}/anthropic` },
      count_tokens: { file: "http/inference/messages/count-tokens" },
      models: { file: `${clients}/anthropic`, named: "lists the models" },
      files: { file: "http/inference/files/files", named: "serves Anthropic's client" },
      batches: { file: "http/inference/messages/batches" },
    },
  },
  { name: "ollama", flows: { "all of it": { file: `${clients}/ollama` } } },
  {
    name: "Copilot in VS Code, provider Ollama, without a key",
    version: "its requests",
    flows: {
      "finds models": copilot("finds"),
      chat: copilot("streams a chat"),
      tools: copilot("gets a call"),
      abort: copilot("ends an answer"),
    },
  },
  {
    name: "@langchain/openai",
    flows: {
      chat: langchain("ChatOpenAI"),
      embeddings: { file: "end-to-end/embeddings/clients", named: "LangChain's client" },
    },
  },
  { name: "@langchain/anthropic", flows: { chat: langchain("ChatAnthropic") } },
  {
    name: "@langchain/xai",
    flows: { chat: langchain("ChatXAI "), responses: langchain("ChatXAIResponses") },
  },
  {
    name: "@ai-sdk/openai",
    flows: {
      "responses, chat and completions": aiSdk("openai, by way of"),
      embeddings: { file: "end-to-end/embeddings/clients", named: "the AI SDK's client" },
      images: { file: "end-to-end/images/gpt-image", named: "works with the AI SDK" },
    },
  },
  { name: "@ai-sdk/anthropic", flows: { messages: aiSdk("anthropic model") } },
  { name: "@ai-sdk/xai", flows: { "responses and chat": aiSdk("xai, by way of") } },
];

/** Returns the version of a client: of a dependency, as package.json pins it. */
export function readVersion({ name, version }: TestedClient): string {
  if (version !== undefined) return version;
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return devDependencies[name] ?? "unknown";
}

/** Runs the tests of clients, each file once. @returns their flows, in the order of the clients. */
export async function runClientTests(
  tested: readonly TestedClient[],
  onLlamaServer: boolean,
): Promise<readonly (readonly FlowResult[])[]> {
  const files = new Set(tested.flatMap(({ flows }) => Object.values(flows).map(nameFile)));
  const scratch = scratchFolder();
  const report = join(scratch.path, "tests.json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--reporter=json", `--outputFile=${report}`, ...files];
  const child = spawnProcess(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...(onLlamaServer ? { TEST_ENGINE: "llama-server" } : {}) },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), runMsMax);
  await once(child, "close");
  clearTimeout(timer);
  const read = parseTestReport(readFileSync(report, "utf8"));
  scratch.remove();
  return tested.map(({ flows }) =>
    Object.entries(flows).map(([flow, tests]) => {
      const { exceptOnLlamaServer: except = null } = onLlamaServer ? tests : {};
      return { flow, problem: findProblem(tests, except, read) };
    }),
  );
}

/** @param except a part of the names of tests that do not count */
function findProblem(tests: Tests, except: string | null, { testResults }: TestReport): string | null {
  const file = testResults.find(({ name }) => name.replaceAll("\\", "/").endsWith(nameFile(tests)));
  const chosen = (file?.assertionResults ?? []).filter(
    ({ fullName }) => fullName.includes(tests.named ?? "") && !(except !== null && fullName.includes(except)),
  );
  if (chosen.length === 0) return `no test was run: ${file?.message ?? nameFile(tests)}`;
  const failed = chosen.find(({ status }) => status !== "passed");
  if (failed === undefined) return null;
  return `${failed.fullName}: ${failed.failureMessages[0]?.split("\n")[0] ?? failed.status}`;
}

function nameFile({ file }: Tests): string {
  return `test/${file}.test.ts`;
}
