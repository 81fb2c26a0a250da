/** Reads a chat template without a model, and renders what its model writes of a turn. */
import type { Message, Tool } from "../../../src/core/generation.js";
import { isMark, piecesOfText, sharedStart } from "../../../src/engine/language/derive/pieces.js";
import { probeTools } from "../../../src/engine/language/derive/probes.js";
import { readTurn, type TurnTexts } from "../../../src/engine/language/derive/turn.js";
import { readTemplate, type TemplateReading } from "../../../src/engine/language/prompt/read-template.js";
import { endsInReasoning, type ReasoningMarks } from "../../../src/engine/language/reasoning.js";
import { definitionVariables } from "../../../src/engine/language/tools/tools-as-text.js";
import { JinjaTemplate, type Rendering } from "../../../src/template/jinja.js";
import { renderTurns } from "./render.js";

/** A template as the server reads it. */
export interface ReadSource {
  readonly source: string;
  readonly reading: TemplateReading;
  /** null where the template renders no turn of the model. */
  readonly turn: TurnTexts | null;
  /** The token that ends a turn. */
  readonly end: string;
  /** All texts that end a turn. */
  readonly endTexts: readonly string[];
}

const budget = { stepsMax: 2_000_000, cpuMsMax: 60_000, textLengthMax: 64 * 1024 * 1024 };
/** Without a vocabulary, what ends a turn besides the end of the sequence is not known. */
const texts = { bosText: "<s>", eosText: "</s>", endTexts: ["<|eot_id|>", "<|eom_id|>"] };

type Render = (variables: Readonly<Record<string, unknown>>) => Promise<Rendering>;

/** @returns null where the source is no valid template */
export async function readSource(source: string): Promise<ReadSource | null> {
  const render = createRenderer(source);
  if (render === null) return null;
  const turn = await findTurn(render);
  const mark = endMark(turn?.end ?? "");
  const endTexts = [texts.eosText, ...texts.endTexts, ...(mark === null ? [] : [mark])];
  const renderer = { render, close: () => Promise.resolve() };
  const reading = await readTemplate(source, renderer, { ...texts, endTexts });
  return { source, reading, turn, end: mark ?? texts.eosText, endTexts };
}

function createRenderer(source: string): Render | null {
  const clock = { cpuMs: () => process.cpuUsage().user / 1000, nowMs: () => 1_721_997_005_000 };
  try {
    const template = new JinjaTemplate(source, clock);
    return (variables) => Promise.resolve(template.render(variables, budget));
  } catch {
    return null;
  }
}

async function findTurn(render: Render): Promise<TurnTexts | null> {
  const attempts = [
    { tools: probeTools },
    { tools: [] },
    { tools: probeTools, ...definitionVariables(probeTools) },
  ];
  for (const variables of attempts) {
    const reading = readTurn();
    let step = reading.next();
    while (step.done !== true) {
      const rendering = await render({
        ...step.value,
        ...variables,
        bos_token: texts.bosText,
        eos_token: texts.eosText,
      });
      step = reading.next(rendering.type === "text" ? rendering.text : null);
    }
    if (step.value !== null) return step.value;
  }
  return null;
}

/** Returns the mark that ends a turn, as a vocabulary would show it; null if the turn has no such mark. */
function endMark(end: string): string | null {
  const marks = piecesOfText(end).filter(isMark);
  const common = [/end_of|im_end|eo[tsm]\b/i, /turn.?>/i, /^<\|end\|>$/].flatMap(
    (sign) => marks.find((mark) => sign.test(mark)) ?? [],
  );
  const [found = marks.at(-1)] = common;
  const isShort = end.trim().length > 2 && end.length < 16;
  return found ?? (isShort ? end.trim() : null);
}

/** What a model writes of a turn. */
export interface WrittenTurn {
  readonly text: string;
  /** Whether the prompt has begun reasoning. */
  readonly promptOpens: boolean;
  /** Whether the text goes on with that reasoning. */
  readonly startsInReasoning: boolean;
}

export interface TurnRequest {
  readonly user: string;
  readonly turn: Message;
  readonly tools: readonly Tool[];
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The content of results, which some templates need after calls. */
const result = "Qxresult";

/** Renders a turn, and returns what follows the prompt; a sentence where the template refuses it. */
export async function writeTurn(
  { reading, endTexts }: Pick<ReadSource, "reading" | "endTexts">,
  { user, turn, tools, variables = {} }: TurnRequest,
): Promise<WrittenTurn | string> {
  const asked: Message = { role: "user", content: user };
  const prompt = await renderTurns(reading, {
    messages: [asked],
    tools,
    variables: { ...variables, add_generation_prompt: true },
  });
  const results = (turn.toolCalls ?? []).map(({ id }): Message => ({
    role: "tool",
    toolCallId: id,
    content: result,
  }));
  const whole =
    (await renderTurns(reading, { messages: [asked, turn], tools, variables })) ??
    (await renderTurns(reading, { messages: [asked, turn, ...results], tools, variables }));
  if (prompt === null) return "the prompt is refused";
  if (whole === null) return "the turn is refused";
  const { reasoning: marks } = reading;
  const text = textAfterPrompt(whole.split(result)[0] ?? "", prompt, endTexts, marks);
  const opens = marks !== null && endsInReasoning(marks, prompt);
  const startsInReasoning = opens && !text.startsWith(marks.open) && text.includes(marks.close);
  return { text, promptOpens: opens, startsInReasoning };
}

/** Returns what follows the prompt, up to the end of the turn. */
function textAfterPrompt(
  whole: string,
  prompt: string,
  endTexts: readonly string[],
  marks: ReasoningMarks | null,
): string {
  const start = sharedStart(whole, prompt);
  // A prompt may have an empty block of reasoning, and the turn another one.
  const block = start === prompt || marks === null ? -1 : start.lastIndexOf(marks.open);
  const isOpened = block >= 0 && start.slice(block).trim() === marks?.open;
  const written = whole.slice(isOpened ? block : start.length);
  const ends = endTexts.map((each) => written.indexOf(each)).filter((at) => at >= 0);
  return written.slice(0, ends.length === 0 ? undefined : Math.min(...ends));
}
