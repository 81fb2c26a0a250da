/**
 * `npm run conformance [-- NAME...]`: runs real agents against a server with a scripted model, which calls their tools as a capable
 * model would: a first prompt, an edit and a test with their results, a second turn, and an abort. Agents are installed into
 * coverage/conformance, pinned. Exits with 1 if a flow fails or a request is refused; an agent that cannot be installed is a row that
 * says so. With names, only packages whose name contains one of them are run.
 */
import type { Agent } from "./conformance/agent.js";
import { claudeAgentSdk } from "./conformance/agents/claude-agent-sdk.js";
import { claudeCode } from "./conformance/agents/claude-code.js";
import { codex, codexWithPatches } from "./conformance/agents/codex.js";
import { grokCli } from "./conformance/agents/grok-cli.js";
import { opencode } from "./conformance/agents/opencode.js";
import { qwenCode } from "./conformance/agents/qwen-code.js";
import { runFlows, type FlowResult } from "./conformance/flows.js";
import { installAgent } from "./conformance/install.js";
import { knownAlias, modelId, startConformanceServer, type ConformanceServer } from "./conformance/server.js";

interface Case {
  readonly agent: Agent;
  readonly model: string;
}

const cases: readonly Case[] = [
  { agent: codex, model: modelId },
  { agent: codexWithPatches, model: knownAlias },
  { agent: claudeCode, model: modelId },
  { agent: claudeAgentSdk, model: modelId },
  { agent: opencode, model: modelId },
  { agent: qwenCode, model: modelId },
  { agent: grokCli, model: modelId },
];
const columns = [32, 10, 44] as const;

process.exitCode = await main(process.argv.slice(2));

async function main(names: readonly string[]): Promise<number> {
  const chosen = cases.filter(
    ({ agent }) => names.length === 0 || names.some((name) => agent.name.includes(name)),
  );
  if (chosen.length === 0) {
    process.stderr.write("conformance: no agent has such a name\n");
    return 2;
  }
  const server = await startConformanceServer();
  printRow(["client", "version", "flows", "passed"]);
  let failures = 0;
  for (const each of chosen) failures += await runCase(each, server);
  await server.close();
  return failures === 0 ? 0 : 1;
}

/** Runs one case and prints its row. @returns the number of failed flows. */
async function runCase({ agent, model }: Case, server: ConformanceServer): Promise<number> {
  const label = [model === modelId ? agent.name : `${agent.name} (${model})`, agent.version] as const;
  let installed: string;
  try {
    installed = installAgent(agent);
  } catch (thrown) {
    printRow([...label, thrown instanceof Error ? thrown.message : String(thrown), "not run"]);
    return 0;
  }
  const results = await runFlows(agent, server, installed, model);
  const failed = results.filter(({ problem }) => problem !== null);
  const flows = results.map(({ flow }) => flow).join(", ");
  printRow([...label, flows, `${results.length - failed.length} of ${results.length}`]);
  for (const each of failed) printProblem(each);
  return failed.length;
}

function printRow(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell, at) => cell.padEnd(columns[at] ?? 0)).join("  ")}\n`);
}

function printProblem({ flow, problem }: FlowResult): void {
  process.stdout.write(`  ${flow}: ${problem}\n`);
}
