/** The flows of an agent: a first prompt, an edit and a test with their results, a second turn, and an abort. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { scratchFolder } from "../world/processes.js";
import type { Agent, AgentPlace } from "./agent.js";
import { hold, type ScriptedAnswer } from "./model.js";
import { runAgent } from "./process.js";
import type { ConformanceServer } from "./server.js";

export interface FlowResult {
  readonly flow: string;
  /** Why it failed; null if it passed. */
  readonly problem: string | null;
}

const abortMsMax = 20_000;
const pollMs = 50;
const greeting = "Greetings from the scripted model.";
const summary = "The sum is right and its test passes.";
const source = "export const add = (a, b) => a - b;\n";
const test =
  'import { add } from "./sum.mjs";\nconsole.log(add(1, 2) === 3 ? "TEST-PASSED" : "TEST-FAILED");\n';

/** Runs all flows of an agent in a new folder. @param report is called when a flow ends. */
export async function runAgentFlows(
  agent: Agent,
  server: ConformanceServer,
  installed: string,
  model: string,
  report: (result: FlowResult) => void,
): Promise<readonly FlowResult[]> {
  const scratch = scratchFolder();
  const place: AgentPlace = {
    package: installed,
    work: join(scratch.path, "work"),
    home: join(scratch.path, "home"),
    url: server.url,
    key: server.key,
    model,
  };
  mkdirSync(place.work);
  mkdirSync(place.home);
  agent.prepare(place);
  const flow = { agent, server, place };
  const flows: Readonly<Record<string, () => Promise<string | null>>> = {
    prompt: () => firstPrompt(flow),
    "edit and test": () => editAndTest(flow),
    ...(agent.resumable ? { "second turn": () => secondTurn(flow) } : {}),
    abort: () => abort(flow),
  };
  const results: FlowResult[] = [];
  for (const [name, run] of Object.entries(flows)) {
    server.takeRefusals();
    const problem = await run();
    const [refusal] = server.takeRefusals();
    const result = { flow: name, problem: refusal ?? server.model.problems[0] ?? problem };
    results.push(result);
    report(result);
  }
  scratch.remove();
  return results;
}

interface Flow {
  readonly agent: Agent;
  readonly server: ConformanceServer;
  readonly place: AgentPlace;
}

async function firstPrompt(flow: Flow): Promise<string | null> {
  const output = await send(flow, "Greet me.", [greeting]);
  return output.includes(greeting) ? null : missing(greeting, output);
}

async function editAndTest(flow: Flow): Promise<string | null> {
  const { agent, server, place } = flow;
  const file = join(place.work, "sum.mjs");
  writeFileSync(file, source);
  writeFileSync(join(place.work, "sum.test.mjs"), test);
  const answers = [...agent.edit(file, "a - b", "a + b"), agent.shell("node sum.test.mjs"), summary];
  const output = await send(flow, "Correct sum.mjs and run its test.", answers);
  if (!readFileSync(file, "utf8").includes("a + b"))
    return missing("the edit", server.model.prompts.at(-1) ?? "");
  if (server.model.prompts.at(-1)?.includes("TEST-PASSED") !== true)
    return missing("the test's output", server.model.prompts.at(-1) ?? "");
  return output.includes(summary) ? null : missing(summary, output);
}

async function secondTurn(flow: Flow): Promise<string | null> {
  const { server } = flow;
  const output = await send(flow, "What did you say?", ["I said that it passes."], true);
  const [prompt = ""] = server.model.prompts;
  if (!prompt.includes(summary)) return missing("the first turn", prompt);
  return output.includes("I said that it passes.") ? null : missing("the second answer", output);
}

async function abort(flow: Flow): Promise<string | null> {
  const { agent, server, place } = flow;
  server.model.play(agent.mainTool, [hold, hold, hold]);
  const held = server.model.held();
  const running = runAgent(agent.launch(place, "Wait.", false), place);
  const first = await Promise.race([held.then(() => "held" as const), running.ended]);
  if (first !== "held") return missing("a request", first.output);
  running.interrupt();
  const deadline = Date.now() + abortMsMax;
  while (server.active() > 0 && Date.now() < deadline) await delay(pollMs);
  running.kill();
  return server.active() === 0 ? null : "the answer was still being generated after the interrupt";
}

async function send(
  { agent, server, place }: Flow,
  prompt: string,
  answers: readonly ScriptedAnswer[],
  resumes = false,
) {
  server.model.play(agent.mainTool, answers);
  const { output } = await runAgent(agent.launch(place, prompt, resumes), place).ended;
  return output;
}

function missing(what: string, text: string): string {
  return `${what} is missing in: ...${text.trim().slice(-300).replaceAll("\n", " ")}`;
}
