/** The shapes of a complete answer on the wire. A stream's events are the same object with pieces of the text. */
import { z } from "zod";
import { shape } from "../shape.js";

export const completion = shape({
  type: z.literal("completion"),
  id: z.string(),
  completion: z.string().describe("The answer's text, or its next piece."),
  stop_reason: z.enum(["stop_sequence", "max_tokens"]).nullable().describe("Null while the text goes on."),
  model: z.string().describe("The model's id, whatever alias it was asked for by."),
}).meta({ id: "TextCompletion", description: "An answer, or a piece of one that is streamed." });

export const completeEvent = z
  .discriminatedUnion("type", [completion, shape({ type: z.literal("ping") })])
  .meta({ id: "TextCompletionEvent", description: "A piece of a streamed answer." });

/** On the wire, whole or a piece of a stream. */
export type Completion = z.infer<typeof completion>;
