/** The requests of clients, and what their answers say: alike in simulated time, in rounds of faults and over hours. */

export interface Prompt {
  readonly model: string;
  readonly text: string;
}

export const chatPath = "/v1/chat/completions";

/** Asks for the usage at the end of a stream, too. */
export const streamed = { stream: true, stream_options: { include_usage: true } } as const;

/** @param more further fields */
export function chatBody({ model, text }: Prompt, tokens: number, more: object = {}): object {
  return { model, messages: [{ role: "user", content: text }], max_completion_tokens: tokens, ...more };
}

/** The body of a background response. */
export function backgroundBody({ model, text }: Prompt, tokens: number): object {
  return { model, input: text, background: true, max_output_tokens: tokens };
}

/** A line of a batch's input. */
export function batchLine(customId: string, body: object) {
  return { custom_id: customId, method: "POST", url: chatPath, body };
}

/** The body that creates a batch of an uploaded file. */
export function batchBody(fileId: string): object {
  return { input_file_id: fileId, endpoint: chatPath, completion_window: "24h" };
}

/** Where the outcome of a job is. */
export function jobPath(table: "deferred_completions" | "responses", id: string): string {
  return table === "responses" ? `/v1/responses/${id}` : `/v1/chat/deferred-completion/${id}`;
}

/** Returns the lines of a file of a batch. */
export function parseLines<Line>(text: string): readonly Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** Returns the ticks that an answer says that it cost; null where it does not say it, or is not whole. */
export function readCost(text: string, isStream: boolean): number | null {
  if (!isStream) return costIn(text);
  const events = text.split("\n\n").flatMap((event) => (event.startsWith("data: ") ? [event.slice(6)] : []));
  return events.pop() === "[DONE]" ? costIn(events.pop() ?? "{}") : null;
}

function costIn(json: string): number | null {
  const { usage } = JSON.parse(json) as { readonly usage?: { readonly cost_in_usd_ticks?: number } | null };
  return usage?.cost_in_usd_ticks ?? null;
}
