/**
 * Derives from a chat template how its model writes calls and reasoning, by rendering conversations with it: some tens at most, each of
 * which takes about a millisecond.
 */
import type { Rendering } from "../../../template/jinja.js";
import type { Tool } from "../../../core/generation.js";
import type { ReasoningMarks } from "../reasoning.js";
import { repairMessages } from "../repairs.js";
import type { DerivedTools } from "../tools/derived.js";
import { definitionVariables } from "../tools/tools-as-text.js";
import { deriveCalls } from "./derive-calls.js";
import { deriveReasoning, findAnswerMarks } from "./derive-reasoning.js";
import { bareTool, probeTools, promptProbe, type TurnProbe } from "./probes.js";
import { readTurn, type Deriving } from "./turn.js";

export interface DerivedLanguage extends DerivedTools {
  readonly reasoning: ReasoningMarks | null;
  /** Whether the template reads the definitions as a text, from a variable `functions`. */
  readonly definitionsAsText: boolean;
  /** Whether the template refuses a tool without a description. */
  readonly needsDescriptions: boolean;
  /** The values of `reasoning_effort` that the template accepts; empty where it reads none. */
  readonly efforts: readonly string[];
}

/** The texts of the vocabulary that a template uses. */
export interface TemplateTexts {
  readonly bosText: string;
  readonly eosText: string;
  /** Texts of the tokens that end a turn. */
  readonly endTexts: readonly string[];
}

/** What the renderings depend on. */
export interface DerivationSource extends TemplateTexts {
  /** Jinja source. */
  readonly template: string;
  readonly render: (variables: Readonly<Record<string, unknown>>) => Promise<Rendering> | Rendering;
}

/** Ways to pass a conversation, in the order in which they are tried. */
const attempts: readonly Attempt[] = [
  { tools: probeTools, asParts: false, asText: false },
  { tools: [], asParts: false, asText: false },
  { tools: probeTools, asParts: true, asText: false },
  { tools: probeTools, asParts: false, asText: true },
];

interface Attempt {
  readonly tools: readonly Tool[];
  /** Whether each content is a list of one text part. */
  readonly asParts: boolean;
  /** Whether the definitions are also passed as a text. */
  readonly asText: boolean;
}

/** Returns null where the template does not render a turn of the model at all, or exceeds its budget. */
export async function deriveLanguage(source: DerivationSource): Promise<DerivedLanguage | null> {
  for (const attempt of attempts) {
    const deriving = derive(source);
    let step = deriving.next();
    while (step.done !== true) {
      const rendering = await source.render(createVariables(step.value, attempt, source));
      if (rendering.type === "exceeded") return null;
      step = deriving.next(rendering.type === "text" ? rendering.text : null);
    }
    if (step.value !== null) return { ...step.value, definitionsAsText: attempt.asText };
  }
  return null;
}

function* derive({
  template,
  eosText,
  endTexts,
}: DerivationSource): Deriving<Omit<DerivedLanguage, "definitionsAsText"> | null> {
  const turn = yield* readTurn();
  if (turn === null) return null;
  const calls = template.includes("tool_calls")
    ? yield* deriveCalls(turn, [eosText, ...endTexts])
    : ("hidden" as const);
  const found = yield* deriveReasoning(template, turn, [eosText, ...endTexts]);
  const { writesDefinitions } = turn;
  const bare = yield { ...promptProbe, variables: { tools: [bareTool] } };
  const needsDescriptions = writesDefinitions && bare === null;
  return {
    calls,
    writesDefinitions,
    reasoning: found?.marks ?? null,
    answerMarks:
      found === null ? findAnswerMarks(null, turn, [eosText, ...endTexts]) : (found.marks.answer ?? null),
    reasoningInParts: found?.inParts ?? false,
    needsDescriptions,
    efforts: yield* deriveEfforts(template),
  };
}

/** Tries each effort; `none` only where the template names it, since others write any text into the prompt. */
function* deriveEfforts(template: string): Deriving<readonly string[]> {
  if (!template.includes("reasoning_effort")) return [];
  const accepted: string[] = [];
  for (const effort of ["none", "low", "medium", "high"]) {
    if (effort === "none" && !/["']none["']/.test(template)) continue;
    const text = yield { ...promptProbe, variables: { reasoning_effort: effort } };
    if (text !== null) accepted.push(effort);
  }
  return accepted;
}

function createVariables(
  { messages, add_generation_prompt, variables = {} }: TurnProbe,
  { tools, asParts, asText }: Attempt,
  { bosText, eosText }: DerivationSource,
): Record<string, unknown> {
  const definitions = tools.map((tool) => ({ type: "function", function: tool }));
  return {
    messages: repairMessages(messages, asParts ? ["texts-as-parts"] : []),
    add_generation_prompt,
    bos_token: bosText,
    eos_token: eosText,
    ...(tools.length === 0 ? {} : { tools: definitions }),
    ...(asText ? definitionVariables(tools) : {}),
    ...variables,
  };
}
