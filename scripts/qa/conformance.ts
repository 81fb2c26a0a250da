/**
 * `npm run conformance [-- NAME...]`: runs real clients against a server. Coding agents meet a scripted model, which calls their tools as
 * a capable model would: a first prompt, an edit and a test with their results, a second turn, and an abort. Client libraries meet the
 * built-in models, and a scripted one for their loops of tools; those that are dependencies run their tests. Everything else is installed
 * into coverage/conformance, pinned. Prints progress to standard error and a table in Markdown at the end. Exits with 1 if a flow fails; a
 * client that cannot be installed is a row that says so. With names, only packages whose name contains one of them are run. With
 * `--engine llama-server` the chat model of every server runs on a remote engine: the built-in one on a true llama-server, a scripted one
 * on a server of its protocol.
 */
import { parseArgs } from "node:util";
import type { Agent } from "./conformance/agent.js";
import { claudeAgentSdk } from "./conformance/agents/claude-agent-sdk.js";
import { claudeCode } from "./conformance/agents/claude-code.js";
import { codex, codexWithPatches } from "./conformance/agents/codex.js";
import { continueCli } from "./conformance/agents/continue-cli.js";
import { grokCli } from "./conformance/agents/grok-cli.js";
import { opencode } from "./conformance/agents/opencode.js";
import { qwenCode } from "./conformance/agents/qwen-code.js";
import { clientLibraries, runLibrary, type ClientLibrary } from "./conformance/clients.js";
import { runAgentFlows, type FlowResult } from "./conformance/flows.js";
import { installAgent, installPackages } from "./conformance/install.js";
import { forecaster } from "./conformance/model.js";
import { remoteServers } from "./conformance/engine/remote-servers.js";
import { knownAlias, localServers, modelId, type Servers } from "./conformance/server.js";
import { countFailures, formatTable, type ClientRow } from "./conformance/table.js";
import { readNames, runCommand } from "./world/options.js";
import {
  runClientTests,
  testedClients,
  readVersion,
  type TestedClient,
} from "./conformance/tested-clients.js";

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
  { agent: continueCli, model: modelId },
];

/** Clients that cannot be pointed at another server of OpenAI's or Anthropic's protocol. */
const notApplicable: readonly ClientRow[] = [
  {
    client: "@google/gemini-cli",
    version: "0.61.0",
    results: "speaks Google's protocol only, whatever its base URL",
    passed: "not applicable",
  },
];

await runCommand("conformance", choose, main);

function choose() {
  const { values, positionals: names } = parseArgs({
    options: { engine: { type: "string", default: "local" } },
    allowPositionals: true,
  });
  const [engine = "local"] = readNames("--engine", values.engine, ["local", "llama-server"]);
  const isChosen = (name: string): boolean => names.length === 0 || names.some((part) => name.includes(part));
  const agents = cases.filter(({ agent }) => isChosen(agent.name));
  const tested = testedClients.filter(({ name }) => isChosen(name));
  const libraries = clientLibraries.filter(({ name }) => isChosen(name));
  const absent = notApplicable.filter(({ client }) => isChosen(client));
  if (agents.length + tested.length + libraries.length === 0) throw new Error("no client has such a name");
  return {
    servers: engine === "local" ? localServers() : remoteServers(),
    agents,
    tested,
    libraries,
    absent,
  };
}

type Chosen = ReturnType<typeof choose>;

async function main({ servers, agents, tested, libraries, absent }: Chosen): Promise<number> {
  try {
    const rows = [
      ...(await rowsOfAgents(servers, agents)),
      ...(await rowsOfTested(servers, tested)),
      ...(await rowsOfLibraries(servers, libraries)),
      ...absent,
    ];
    process.stdout.write(formatTable(rows));
    return rows.every((row) => countFailures(row) === 0) ? 0 : 1;
  } finally {
    await servers.close();
  }
}

async function rowsOfAgents(servers: Servers, chosen: readonly Case[]): Promise<readonly ClientRow[]> {
  if (chosen.length === 0) return [];
  const server = await servers.conformance();
  const rows: ClientRow[] = [];
  for (const { agent, model } of chosen) {
    const client = model === modelId ? agent.name : `${agent.name} (${model})`;
    const results = await attempted(
      client,
      () => installAgent(agent),
      (installed, report) => runAgentFlows(agent, server, installed, model, report),
    );
    rows.push({ client, version: agent.version, results });
  }
  await server.close();
  return rows;
}

async function rowsOfTested(
  servers: Servers,
  chosen: readonly TestedClient[],
): Promise<readonly ClientRow[]> {
  if (chosen.length === 0) return [];
  progress(`${chosen.map(({ name }) => name).join(", ")}: running their tests`);
  const results = await runClientTests(chosen, servers.onLlamaServer);
  return chosen.map((client, at) => {
    const flows = results[at] ?? [];
    for (const each of flows) reportTo(client.name)(each);
    return { client: client.name, version: readVersion(client), results: flows };
  });
}

async function rowsOfLibraries(
  servers: Servers,
  chosen: readonly ClientLibrary[],
): Promise<readonly ClientRow[]> {
  if (chosen.length === 0) return [];
  const [builtIn, scripted] = [await servers.builtIn(), await servers.scripted(forecaster)];
  const used = { builtIn, scripted, model: modelId };
  const rows: ClientRow[] = [];
  for (const library of chosen) {
    const { name, version } = library;
    const results = await attempted(
      name,
      () => installPackages(library),
      (installed, report) => runLibrary(library, installed, used, report),
    );
    rows.push({ client: name, version, results });
  }
  await builtIn.close();
  await scripted.close();
  return rows;
}

/** Installs a client and runs its flows. @returns the flows, or why it could not be installed. */
async function attempted(
  client: string,
  install: () => string,
  run: (installed: string, report: (result: FlowResult) => void) => Promise<readonly FlowResult[]>,
): Promise<readonly FlowResult[] | string> {
  progress(`${client}: begins`);
  let installed: string;
  try {
    installed = install();
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    progress(`${client}: ${reason}`);
    return reason;
  }
  return run(installed, reportTo(client));
}

function reportTo(client: string): (result: FlowResult) => void {
  return ({ flow, problem }) => progress(`${client}: ${flow}: ${problem ?? "passed"}`);
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
