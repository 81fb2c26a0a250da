/** Finds the markers around a model's reasoning from the text of its chat template, never from the model's name. */

export interface ReasoningMarks {
  /** Begins the block. */
  readonly open: string;
  /** Ends it. */
  readonly close: string;
  /** The template itself opens the block at the end of its prompts, at least when reasoning is enabled. */
  readonly startsOpen?: boolean;
  /** Marks around the answer itself, which may be omitted; `close` is empty where none ends it. */
  readonly answer?: { readonly open: string; readonly close: string };
}

interface Style {
  /** Any of these texts in a template identifies the style. */
  readonly signs: readonly string[];
  readonly open: string;
  readonly close: string;
}

/** More specific styles come first: templates of other styles also contain the plain marker. */
const styles: readonly Style[] = [
  { signs: ["<|channel|>analysis"], open: "<|channel|>analysis<|message|>", close: "<|end|>" },
  { signs: ["<seed:think>"], open: "<seed:think>", close: "</seed:think>" },
  { signs: ["<|START_THINKING|>"], open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  { signs: ["[THINK]"], open: "[THINK]", close: "[/THINK]" },
  { signs: ["<|inner_prefix|>"], open: "<|inner_prefix|>", close: "<|inner_suffix|>" },
  { signs: ["◁think▷"], open: "◁think▷", close: "◁/think▷" },
  {
    signs: ["Here are my reasoning steps"],
    open: "Here are my reasoning steps:",
    close: "[BEGIN FINAL RESPONSE]",
  },
  {
    signs: ["Here is my thought process"],
    open: "Here is my thought process:",
    close: "Here is my response:",
  },
  { signs: ["<thought>"], open: "<thought>", close: "</thought>" },
  { signs: ["<think>", "</think>"], open: "<think>", close: "</think>" },
];

/** Marks around answers that templates only describe in words. */
const answerMarks = [
  { open: "<response>", close: "</response>" },
  { open: "[BEGIN FINAL RESPONSE]", close: "[END FINAL RESPONSE]" },
] as const;

/** Returns the markers of a template's reasoning block; null when it has none. */
export function findReasoningMarks(template: string): ReasoningMarks | null {
  const style = styles.find(({ signs }) => signs.some((sign) => template.includes(sign)));
  if (style === undefined) return null;
  const { open, close } = style;
  const answer = answerMarks.find((marks) => template.includes(marks.open) && template.includes(marks.close));
  return { open, close, startsOpen: opensAtEnd(template, style), answer };
}

/** Returns whether a rendered prompt ends inside an open block, so that the answer starts with reasoning. */
export function endsInReasoning({ open }: ReasoningMarks, prompt: string): boolean {
  return prompt.trimEnd().endsWith(open);
}

/** Returns whether the opening marker is the last thing that the template writes after the start of the answer's turn. */
function opensAtEnd(template: string, { open, close }: Style): boolean {
  const end = template.slice(Math.max(0, template.lastIndexOf("add_generation_prompt")));
  const at = end.lastIndexOf(open);
  return end.includes("add_generation_prompt") && at >= 0 && !end.includes(close, at);
}
