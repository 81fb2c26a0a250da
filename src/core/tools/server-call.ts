/** Calls of tools that the server executes itself, within the answer that makes them. */
import type { GenerationEvent } from "../generation.js";
import type { MessageImage } from "../images/images.js";

/** An encoded image file. */
interface EncodedImage {
  readonly base64: string;
  readonly format: "png" | "jpeg" | "webp";
}

/** An image that a call has generated. */
interface CallImage extends EncodedImage {
  /** The text that the image was generated from. */
  readonly prompt: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** What the model reads of an image that was drawn; its description follows where there is a vision model. */
export const drawnText = "The image was drawn and is shown to the user.";

/** Returns the image of a call's result as part of a text, at its end. */
export function resultImage(image: EncodedImage, text: string): MessageImage {
  const url = `data:image/${image.format};base64,${image.base64}`;
  return { at: text.length, url, detail: "auto", param: "input", optional: true };
}

/** An image in the result of a call. */
export interface ResultImage {
  /** Position: before this UTF-16 unit of the content. */
  readonly at: number;
  /** A `data:` URL. */
  readonly url: string;
}

/** What a call of the server resulted in. */
export interface ServerCallResult {
  readonly failed: boolean;
  /** What the model reads. */
  readonly content: string;
  /** Images in it, which the model reads as descriptions. */
  readonly images?: readonly ResultImage[];
  /** What clients see of the content; absent: the same. */
  readonly shown?: string;
  readonly image?: CallImage;
  /** What runs of their own, of other models, were charged for it, in ticks. */
  readonly costTicks: number;
}

/** The server begins to execute a call, whose `tool-call-end` comes before. */
interface ServerCallStart {
  readonly type: "server-call-start";
  readonly choice: number;
  /** The index of the call in the answer. */
  readonly index: number;
}

/** A call has been executed. Where the answer ends before that, there is no such event. */
export interface ServerCallEnd {
  readonly type: "server-call-end";
  readonly choice: number;
  readonly index: number;
  readonly result: ServerCallResult;
}

type ServerCallEvent = ServerCallStart | ServerCallEnd;

/** The conversation before the answer was replaced by a summary. */
interface ConversationCompacted {
  readonly type: "conversation-compacted";
  readonly choice: number;
  readonly summary: string;
}

/** What happens in an answer: what the model generates, and what the server does for it. */
export type AnswerEvent = GenerationEvent | ServerCallEvent | ConversationCompacted;

/** Whether an event of a run is about what the server does, not the model. */
export function isServerEvent<Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, ServerCallEvent | ConversationCompacted> {
  return (
    event.type === "server-call-start" ||
    event.type === "server-call-end" ||
    event.type === "conversation-compacted"
  );
}
