/**
 * The marks around a model's reasoning, found by the text of its chat template, never by its name. Splitting an answer at them
 * is answer-text.ts's work.
 */

export interface ReasoningMarks {
  /** Begins the block. */
  readonly open: string;
  /** Ends it. */
  readonly close: string;
  /** The template itself opens the block at the end of its prompts, at least when thinking is on. */
  readonly startsOpen?: boolean;
}

interface Style {
  /** Any of these in the template tells it. */
  readonly signs: readonly string[];
  readonly open: string;
  readonly close: string;
}

/** The more particular first: the plain mark is quoted in templates of other styles too. */
const styles: readonly Style[] = [
  { signs: ["<|channel|>analysis"], open: "<|channel|>analysis<|message|>", close: "<|end|>" },
  { signs: ["<seed:think>"], open: "<seed:think>", close: "</seed:think>" },
  { signs: ["<|START_THINKING|>"], open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  { signs: ["[THINK]"], open: "[THINK]", close: "[/THINK]" },
  { signs: ["<|inner_prefix|>"], open: "<|inner_prefix|>", close: "<|inner_suffix|>" },
  { signs: ["◁think▷"], open: "◁think▷", close: "◁/think▷" },
  {
    signs: ["Here is my thought process"],
    open: "Here is my thought process:",
    close: "Here is my response:",
  },
  { signs: ["<thought>"], open: "<thought>", close: "</thought>" },
  { signs: ["<think>", "</think>"], open: "<think>", close: "</think>" },
];

/** The marks of a template's reasoning block; null when it knows none. */
export function reasoningMarksOf(template: string): ReasoningMarks | null {
  const style = styles.find(({ signs }) => signs.some((sign) => template.includes(sign)));
  if (style === undefined) return null;
  const { open, close } = style;
  return opensAtEnd(template, style) ? { open, close, startsOpen: true } : { open, close };
}

/** Whether a rendered prompt ends inside an open block: the answer then begins in the middle of reasoning. */
export function endsInReasoning({ open }: ReasoningMarks, prompt: string): boolean {
  return prompt.trimEnd().endsWith(open);
}

/** Whether what the template writes last, once the answer's turn has begun, is the opening mark. */
function opensAtEnd(template: string, { open, close }: Style): boolean {
  const end = template.slice(Math.max(0, template.lastIndexOf("add_generation_prompt")));
  const at = end.lastIndexOf(open);
  return end.includes("add_generation_prompt") && at >= 0 && !end.includes(close, at);
}
