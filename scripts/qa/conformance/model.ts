/** The scripted model of the conformance run: it answers agents as a capable model would. */
import type { GenerationEvent } from "../../../src/core/generation.js";
import type { ScriptStep } from "../../../test/kit/scripted/engine.js";
import type { Call } from "./agent.js";

/** Stands for an answer that does not come. */
export const hold = Symbol("hold");

/** An answer: a text, a tool call, or none until the client disconnects. */
export type ScriptedAnswer = string | Call | typeof hold;

/** A script that reads the names of the offered tools, and nothing else of a request. */
export type ScriptOfTools = (
  prompt: string,
  offered: { readonly tools: readonly { readonly name: string }[] },
) => readonly ScriptStep[];

export interface ScriptedModel {
  readonly script: ScriptOfTools;
  /** Prompts that the agent's own loop sent, since `play`. */
  readonly prompts: readonly string[];
  /** Problems, such as a tool that was not offered, since `play`. */
  readonly problems: readonly string[];
  /** Sets the answers to the next prompts of the agent's own loop. */
  play(mainTool: string, answers: readonly ScriptedAnswer[]): void;
  /** Resolves when the model is asked for an answer that it holds back. */
  held(): Promise<void>;
}

/**
 * The model of client libraries: it hands over to another agent if it can, calls a tool for the weather once, and repeats the result of
 * the tool, which is not JSON, unlike the result of a handover. Which one it does depends on the prompt alone.
 */
export const forecaster: ScriptOfTools = (prompt, { tools }) => {
  const result = /^tool: ([^{\n].*)$/m.exec(prompt.split(/^user: /m).at(-1) ?? "")?.[1];
  const find = (part: string) => tools.find(({ name }) => name.includes(part))?.name;
  const [handover, weather] = [find("transfer_to_"), find("get_weather")];
  if (handover !== undefined) return createEvents({ tool: handover, arguments: {} }, "call_handover");
  if (weather === undefined || result !== undefined)
    return [`Greetings from the scripted model. ${result ?? ""}`];
  return createEvents({ tool: weather, arguments: { city: "Paris" } }, `call_${prompt.length}`);
};

export function createScriptedModel(): ScriptedModel {
  let mainTool = "";
  let answers: ScriptedAnswer[] = [];
  let prompts: string[] = [];
  let problems: string[] = [];
  let calls = 0;
  let reportHeld = (): void => undefined;
  const script: ScriptOfTools = (prompt, { tools }) => {
    const names = tools.map(({ name }) => name);
    if (!names.includes(mainTool)) return ["A title"];
    prompts.push(prompt);
    const answer = answers.shift() ?? "There is nothing more to do.";
    if (answer === hold) {
      reportHeld();
      return [new Promise(() => undefined)];
    }
    if (typeof answer === "string") return [answer];
    if (!names.includes(answer.tool))
      problems.push(`the tool '${answer.tool}' was not offered: ${names.join(", ")}`);
    return createEvents(answer, `call_${++calls}`);
  };
  return {
    script,
    get prompts() {
      return prompts;
    },
    get problems() {
      return problems;
    },
    play(tool, next) {
      [mainTool, answers, prompts, problems] = [tool, [...next], [], []];
    },
    held: () => new Promise((resolve) => (reportHeld = resolve)),
  };
}

function createEvents(call: Call, id: string): readonly ScriptStep[] {
  const json = JSON.stringify(call.arguments);
  const place = { choice: 0, index: 0 } as const;
  const events: GenerationEvent[] = [
    { type: "tool-call-start", ...place, id, name: call.tool, tokens: 1 },
    { type: "tool-call-delta", ...place, arguments: json, tokens: 1 },
    { type: "tool-call-end", ...place, tokens: 0 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
  return events;
}
