/** Client libraries that are not dependencies of Hearth: each runs a program of its own, `clients/<program>.mjs`. */
import { copyFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { spawnProcess } from "../world/processes.js";
import type { FlowResult } from "./flows.js";
import type { Packages } from "./install.js";
import type { RecordedServer } from "./server.js";

export interface ClientLibrary extends Packages {
  readonly program: string;
}

/** The servers of client libraries: the built-in models, and a scripted model that calls tools. */
export interface LibraryServers {
  readonly builtIn: RecordedServer;
  readonly scripted: RecordedServer;
  readonly model: string;
}

const zod = "zod@4.6.7";
const programs = fileURLToPath(new URL("clients/", import.meta.url));
const runMsMax = 300_000;
const errorLines = 3;

export const clientLibraries: readonly ClientLibrary[] = [
  {
    name: "ai",
    version: "6.0.326",
    program: "ai-sdk-6",
    beside: ["@ai-sdk/openai-compatible@2.0.92", "ollama-ai-provider-v2@3.6.0", zod],
  },
  {
    name: "ai",
    version: "7.0.173",
    program: "ai-sdk-7",
    beside: [
      "@ai-sdk/anthropic@4.0.105",
      "@ai-sdk/openai@4.0.118",
      "@ai-sdk/openai-compatible@3.0.92",
      "@ai-sdk/xai@5.0.12",
      "ollama-ai-provider-v2@4.0.1",
      zod,
    ],
  },
  { name: "@openai/agents", version: "0.20.0", program: "openai-agents", beside: [zod] },
  {
    name: "@langchain/langgraph",
    version: "1.7.3",
    program: "langgraph",
    beside: [
      "langchain@1.5.14",
      "@langchain/anthropic@1.5.11",
      "@langchain/core@1.4.0",
      "@langchain/ollama@1.3.0",
      "@langchain/openai@1.5.8",
      zod,
    ],
  },
  {
    name: "llamaindex",
    version: "0.12.1",
    program: "llamaindex",
    beside: ["@llamaindex/openai@0.4.22", "@llamaindex/workflow@1.1.24", zod],
  },
  {
    name: "@instructor-ai/instructor",
    version: "1.7.0",
    program: "instructor",
    beside: ["openai@4.104.0", "zod@3.25.76"],
  },
  { name: "@continuedev/openai-adapters", version: "1.37.0", program: "continue-adapters" },
  { name: "promptfoo", version: "0.119.0", program: "promptfoo", compiled: "better-sqlite3" },
  { name: "@n8n/n8n-nodes-langchain", version: "2.41.1", program: "n8n" },
];

/** Runs all flows of a library. @param folder where it is installed. @param report is called when a flow ends. */
export async function runLibrary(
  { program }: ClientLibrary,
  folder: string,
  servers: LibraryServers,
  report: (result: FlowResult) => void,
): Promise<readonly FlowResult[]> {
  // A program finds the packages that are installed beside it.
  for (const file of readdirSync(programs)) copyFileSync(join(programs, file), join(folder, file));
  const child = spawnProcess(process.execPath, [join(folder, `${program}.mjs`)], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", CI: "1", ...createEnvironment(servers) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), runMsMax);
  const results: FlowResult[] = [];
  const errors: string[] = [];
  if (child.stderr !== null) createInterface(child.stderr).on("line", (line) => errors.push(line));
  if (child.stdout !== null)
    createInterface(child.stdout).on("line", (line) => {
      if (!line.startsWith("flow ")) return;
      const result = withRefusal(JSON.parse(line.slice("flow ".length)) as FlowResult, servers);
      results.push(result);
      report(result);
    });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  if (code === 0) return results;
  const problem = `the program ended with ${code ?? "a signal"}: ${errors.slice(-errorLines).join(" ")}`;
  const ended = { flow: "end", problem };
  report(ended);
  return [...results, ended];
}

/** Adds to a problem what the server refused in the meantime. */
function withRefusal({ flow, problem }: FlowResult, { builtIn, scripted }: LibraryServers): FlowResult {
  const [refusal] = [...builtIn.takeRefusals(), ...scripted.takeRefusals()];
  return { flow, problem: problem === null || refusal === undefined ? problem : `${problem} (${refusal})` };
}

function createEnvironment({ builtIn, scripted, model }: LibraryServers): Readonly<Record<string, string>> {
  return {
    BUILT_IN_URL: builtIn.url,
    BUILT_IN_KEY: builtIn.key,
    BUILT_IN_MODEL: model,
    SCRIPTED_URL: scripted.url,
    SCRIPTED_KEY: scripted.key,
    SCRIPTED_MODEL: model,
  };
}
