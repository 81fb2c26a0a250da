/** The turns of a conversation. Pure. */
import type { ChatChunk } from "../../../../dialects/openai-chat/response-schema.js";

/** A file of a message. */
export interface AttachedFile {
  readonly kind: "image" | "sound";
  readonly name: string;
  readonly bytes: number;
  /** `data:` URL. */
  readonly url: string;
}

export interface UserTurn {
  readonly id: number;
  readonly role: "user";
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

export interface AnswerTurn {
  readonly id: number;
  readonly role: "assistant";
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ModelCall[];
  readonly state: "running" | "done" | "stopped" | "failed";
  readonly error: Error | null;
  /** Whether the answer ended because it reached its maximum length. */
  readonly isCut: boolean;
  readonly figures: AnswerFigures;
}

/** The times are milliseconds on the clock of the page; null: not yet, or not known. */
interface AnswerFigures {
  readonly startedAt: number;
  readonly firstTokenAt: number | null;
  readonly endedAt: number | null;
  readonly promptTokens: number | null;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** The result of a call, which the member has entered. */
export interface ResultTurn {
  readonly id: number;
  readonly role: "tool";
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

export type PlaygroundTurn = UserTurn | AnswerTurn | ResultTurn;

/** Returns an answer that has no text yet. */
export function newAnswer(id: number, model: string, startedAt: number): AnswerTurn {
  return {
    id,
    role: "assistant",
    model,
    text: "",
    reasoning: "",
    calls: [],
    state: "running",
    error: null,
    isCut: false,
    figures: {
      startedAt,
      firstTokenAt: null,
      endedAt: null,
      promptTokens: null,
      cachedTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
    },
  };
}

/** Returns an answer with what a chunk of the stream adds. */
export function withChunk(answer: AnswerTurn, chunk: ChatChunk, at: number): AnswerTurn {
  const [choice] = chunk.choices;
  const { content = "", reasoning_content: reasoning = "", tool_calls: calls = [] } = choice?.delta ?? {};
  const isToken = content !== "" || reasoning !== "" || calls.length > 0;
  const { figures } = answer;
  return {
    ...answer,
    text: answer.text + content,
    reasoning: answer.reasoning + reasoning,
    calls: [...answer.calls, ...calls.map(toCall)],
    isCut: answer.isCut || choice?.finish_reason === "length",
    figures: {
      ...figures,
      ...(chunk.usage === undefined ? {} : readTokens(chunk.usage)),
      firstTokenAt: figures.firstTokenAt ?? (isToken ? at : null),
    },
  };
}

/** Returns an answer that has ended. */
export function ended(
  answer: AnswerTurn,
  state: "done" | "stopped" | "failed",
  at: number,
  error: Error | null = null,
): AnswerTurn {
  return { ...answer, state, error, figures: { ...answer.figures, endedAt: at } };
}

/** Returns the calls of the last answer that have no result yet. */
export function openCalls(turns: readonly PlaygroundTurn[]): readonly ModelCall[] {
  const last = turns.at(-1);
  return last?.role === "assistant" && last.state === "done" ? last.calls : [];
}

/** Milliseconds until the first token; null if none has come. */
export function firstTokenMs({ startedAt, firstTokenAt }: AnswerFigures): number | null {
  return firstTokenAt === null ? null : firstTokenAt - startedAt;
}

/** Tokens per second after the first token; null where too few tokens or no time make it meaningless. */
export function decodingSpeed(figures: AnswerFigures): number | null {
  const { firstTokenAt, endedAt, completionTokens, reasoningTokens } = figures;
  const tokens = completionTokens + reasoningTokens - 1;
  if (firstTokenAt === null || endedAt === null || tokens < 1 || endedAt <= firstTokenAt) return null;
  return (tokens * 1000) / (endedAt - firstTokenAt);
}

type ChunkCall = NonNullable<ChatChunk["choices"][number]["delta"]["tool_calls"]>[number];

/** The playground asks for whole calls, so that there is no piece of one. */
function toCall(call: ChunkCall): ModelCall {
  if (!("type" in call)) return { id: "", name: "", arguments: call.function.arguments };
  const { id } = call;
  if (call.type === "custom") return { id, name: call.custom.name, arguments: call.custom.input };
  return { id, name: call.function.name, arguments: call.function.arguments };
}

function readTokens(usage: NonNullable<ChatChunk["usage"]>): Partial<AnswerFigures> {
  return {
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    completionTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details.reasoning_tokens,
  };
}
