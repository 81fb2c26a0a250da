/** What the renderings of a chat template have shown about tools. */
import type { CallSyntax } from "./syntax.js";

/** How a template writes calls. */
export interface DerivedCalls {
  readonly syntax: CallSyntax;
  readonly argumentsAsText: boolean;
  /** The content of a turn that contains only calls is null instead of an empty text. */
  readonly emptyContent: boolean;
  /** A turn has one call. */
  readonly oneCall: boolean;
  /** Text and calls must be two turns: one turn with both loses its text. */
  readonly separatesText: boolean;
  readonly ids?: "nine" | "numbered";
  /** Written between the prompt and a text, where the prompt ends with the mark before a call. */
  readonly textOpening?: string;
}

export interface DerivedTools {
  /** Around the text of an answer; an empty text for a mark that it does not have. */
  readonly answerMarks: { readonly open: string; readonly close: string } | null;
  /** `hidden` where the template leaves calls out, null where it does not show how they are written. */
  readonly calls: DerivedCalls | "hidden" | null;
  /** Whether the template writes the definitions of tools. */
  readonly writesDefinitions: boolean;
  /** Whether the template reads the reasoning of earlier turns from parts of their content only. */
  readonly reasoningInParts: boolean;
}
