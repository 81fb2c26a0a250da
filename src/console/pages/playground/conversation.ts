/** The conversation of the playground. It stays while the member opens other pages of the console, not after a reload. */
import type { ChatChunk } from "../../../dialects/openai-chat/response-schema.js";
import { ApiError, stream } from "../../lib/client.js";
import { elapsed } from "../../lib/clock.js";
import { toError } from "../../lib/resource.js";
import { createStore } from "../../lib/store.js";
import { noSettings, toChatRequest, type Settings } from "./request.js";
import {
  ended,
  newAnswer,
  openCalls,
  withChunk,
  type AnswerTurn,
  type AttachedFile,
  type PlaygroundTurn,
} from "./chat/turn.js";

interface Draft {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

interface PlaygroundState {
  readonly settings: Settings;
  readonly turns: readonly PlaygroundTurn[];
  /** The message that is being written. */
  readonly draft: Draft;
}

const noDraft: Draft = { text: "", files: [] };

const modelKey = "hearth.playground.model";

export const conversation = createStore<PlaygroundState>(empty());
let abort: AbortController | null = null;
let memberId: string | null = null;
let nextId = 1;

/** Begins anew if another member was signed in when the conversation began. */
export function openFor(member: string): void {
  if (memberId === member) return;
  memberId = member;
  abort?.abort();
  conversation.set(empty());
}

/** Changes settings. The model is remembered in this browser. */
export function setSettings(change: Partial<Settings>): void {
  const { settings, ...state } = conversation.get();
  if (change.model !== undefined) localStorage.setItem(modelKey, change.model);
  conversation.set({ ...state, settings: { ...settings, ...change } });
}

/** Changes the message that is being written. */
export function setDraft(change: Partial<Draft>): void {
  const state = conversation.get();
  conversation.set({ ...state, draft: { ...state.draft, ...change } });
}

/** Sends the message that is written, and streams the answer. */
export function sendMessage(): void {
  const { turns, draft, ...state } = conversation.get();
  conversation.set({ ...state, turns, draft: noDraft });
  run([...turns, { id: nextId++, role: "user", ...draft }]);
}

/**
 * Returns the turns that a request has now: with the message that is being written, if there is one; else those before the last
 * answer.
 */
export function requestTurns({ turns, draft }: PlaygroundState): readonly PlaygroundTurn[] {
  if (draft.text.trim() !== "" || draft.files.length > 0)
    return [...turns, { id: 0, role: "user", ...draft }];
  return turns.at(-1)?.role === "assistant" ? turns.slice(0, -1) : turns;
}

/** Sends what the calls of the last answer have returned, in their order. */
export function sendResults(results: readonly string[]): void {
  const { turns } = conversation.get();
  const added = openCalls(turns).map(
    ({ id, name }, index) =>
      ({ id: nextId++, role: "tool", callId: id, name, text: results[index] ?? "" }) as const,
  );
  run([...turns, ...added]);
}

/** Streams the last answer again. */
export function regenerate(): void {
  const { turns } = conversation.get();
  run(turns.at(-1)?.role === "assistant" ? turns.slice(0, -1) : turns);
}

/** Replaces a message of the member and all that followed. */
export function edit(id: number, text: string): void {
  const { turns } = conversation.get();
  const index = turns.findIndex((turn) => turn.id === id);
  const turn = turns[index];
  if (turn?.role === "user") run([...turns.slice(0, index), { ...turn, id: nextId++, text }]);
}

/** Ends the answer that is being streamed. */
export function stop(): void {
  abort?.abort();
}

/** Removes all messages; the settings stay. */
export function clear(): void {
  stop();
  conversation.set({ ...conversation.get(), turns: [] });
}

/** Returns whether an answer is being streamed. */
export function isRunning({ turns }: PlaygroundState): boolean {
  const last = turns.at(-1);
  return last?.role === "assistant" && last.state === "running";
}

function run(turns: readonly PlaygroundTurn[]): void {
  const state = conversation.get();
  const { settings } = state;
  stop();
  const controller = new AbortController();
  abort = controller;
  const answer = newAnswer(nextId++, settings.model, elapsed());
  conversation.set({ ...state, turns: [...turns, answer] });
  void follow(answer, controller.signal, () => toChatRequest(settings, turns));
}

/** What a stream has in place of a chunk when the answer fails after it has begun. */
interface StreamError {
  readonly error: { readonly message: string };
}

/** Streams into an answer. It is shown at most once for each frame of the screen. */
async function follow(first: AnswerTurn, signal: AbortSignal, request: () => object): Promise<void> {
  let answer = first;
  let frame: number | null = null;
  const show = (): void => {
    frame = null;
    replace(answer);
  };
  try {
    const body = { ...request(), stream: true, stream_options: { include_usage: true } };
    const chunks = stream<ChatChunk | StreamError>("POST", "/v1/chat/completions", body, signal);
    for await (const chunk of chunks) {
      if ("error" in chunk) throw new ApiError(500, chunk.error.message, null);
      answer = withChunk(answer, chunk, elapsed());
      frame ??= requestAnimationFrame(show);
    }
    answer = ended(answer, "done", elapsed());
  } catch (thrown) {
    answer = signal.aborted
      ? ended(answer, "stopped", elapsed())
      : ended(answer, "failed", elapsed(), toError(thrown));
  }
  if (frame !== null) cancelAnimationFrame(frame);
  show();
}

/** Shows a newer state of an answer, unless the answer has been removed. */
function replace(answer: AnswerTurn): void {
  const state = conversation.get();
  if (state.turns.some(({ id }) => id === answer.id))
    conversation.set({ ...state, turns: state.turns.map((turn) => (turn.id === answer.id ? answer : turn)) });
}

function empty(): PlaygroundState {
  return {
    settings: { ...noSettings, model: localStorage.getItem(modelKey) ?? "" },
    turns: [],
    draft: noDraft,
  };
}
