/** What the tests of the responses routes share: a client of bare HTTP that reads streams frame by frame. */
import { expect, vi } from "vitest";
import type { ResponseEvent } from "../../../../src/dialects/openai-responses/event-schema.js";
import type { InputItemsPage, ResponseObject } from "../../../../src/dialects/openai-responses/wire.js";
import type { ScriptStep } from "../../../../src/engine/scripted.js";
import { compose, gate, headersOf, keys, type ComposeOptions } from "../../compose.js";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** As it came. */
  readonly text: string;
  readonly body: unknown;
}

export interface Asker {
  /** Any route under /v1/responses. */
  send(method: string, path: string, body?: object): Promise<Answered>;
  /** A response that is asked for and comes with 200. */
  create(fields: object): Promise<ResponseObject>;
  /** A response as it is stored. */
  find(id: string, query?: string): Promise<ResponseObject>;
  /** Looks at a response until it has that status. */
  findAs(id: string, status: ResponseObject["status"]): Promise<ResponseObject>;
  inputItems(id: string, query?: string): Promise<InputItemsPage>;
  /** The stream of a response that is asked for. */
  stream(fields: object): Promise<Frames>;
  /** The stream of a response that is there, from after the event of that number on. */
  follow(id: string, startingAfter?: number): Promise<Frames>;
}

/** Asks a server with a key, of a model. */
export function askerOf(url: string, key: string = keys.ada, model = "ember-1m"): Asker {
  const ask = (method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/v1/responses${path}`, {
      method,
      headers: headersOf(key),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const send: Asker["send"] = async (method, path, body) => {
    const response = await ask(method, path, body);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
  };
  const read = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answered = await send(method, path, body);
    expect(answered.status, answered.text).toBe(200);
    return answered.body as T;
  };
  const stream = async (method: string, path: string, body?: object): Promise<Frames> => {
    const leaving = new AbortController();
    const response = await ask(method, path, body, leaving.signal);
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    return new Frames(response.body, () => leaving.abort());
  };
  const find = (id: string, query = ""): Promise<ResponseObject> => read("GET", `/${id}${query}`);
  return {
    send,
    find,
    create: (fields) => read("POST", "", { model, ...fields }),
    findAs: (id, status) =>
      vi.waitFor(
        async () => {
          const found = await find(id);
          expect(found.status).toBe(status);
          return found;
        },
        { interval: 5, timeout: 30_000 },
      ),
    inputItems: (id, query = "") => read("GET", `/${id}/input_items${query}`),
    stream: (fields) => stream("POST", "", { model, stream: true, ...fields }),
    follow: (id, after) =>
      stream("GET", `/${id}?stream=true${after === undefined ? "" : `&starting_after=${after}`}`),
  };
}

/** A stream, read as far as the test asks. */
export class Frames {
  /** What was read so far, each frame as it came. */
  readonly seen: string[] = [];
  /** Ends the connection. */
  readonly leave: () => void;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(body: ReadableStream<Uint8Array>, leave: () => void) {
    this.#reader = body.getReader();
    this.leave = leave;
  }

  /** Reads up to the next event of that type. */
  async until(type: ResponseEvent["type"]): Promise<ResponseEvent> {
    for (;;) {
      const frame = await this.#next();
      if (frame === null) throw new Error(`no ${type} in ${this.seen.join("")}`);
      if (frame.startsWith(`event: ${type}\n`)) return eventOf(frame);
    }
  }

  /** Reads to the end. @returns the whole stream's frames. */
  async all(): Promise<readonly string[]> {
    while ((await this.#next()) !== null);
    return this.seen;
  }

  /** Reads to the end, which has to be `[DONE]`. @returns the whole stream's events. */
  async events(): Promise<readonly ResponseEvent[]> {
    const frames = await this.all();
    expect(frames.at(-1)).toBe("data: [DONE]\n\n");
    return frames.slice(0, -1).map(eventOf);
  }

  async #next(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end >= 0) {
        const frame = this.#rest.slice(0, end + 2);
        this.#rest = this.#rest.slice(end + 2);
        this.seen.push(frame);
        return frame;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#rest += this.#decoder.decode(value, { stream: true });
    }
  }
}

/** @throws Error when the frame is not named as its event is. */
export function eventOf(frame: string): ResponseEvent {
  const match = /^event: (\S+)\ndata: (.*)\n\n$/.exec(frame);
  const event = JSON.parse(match?.[2] ?? "null") as ResponseEvent | null;
  if (event === null || event.type !== match?.[1]) throw new Error(`no event: ${frame}`);
  return event;
}

/** The response that the last event of a stream carries. */
export function lastResponse(events: readonly ResponseEvent[]): ResponseObject {
  const last = events.at(-1);
  if (last === undefined || !("response" in last)) throw new Error("the stream ends with no response");
  return last.response;
}

/** What the messages of an answer say. */
export function textOf({ output }: ResponseObject): string {
  return output.map((item) => (item.type === "message" ? (item.content[0]?.text ?? "") : "")).join("");
}

/** A response without what differs each time it is made: ids and times. */
export function lasting(response: ResponseObject): object {
  return {
    ...response,
    id: "",
    created_at: 0,
    completed_at: response.completed_at === null ? null : 0,
    output: response.output.map((item) => ({
      ...item,
      id: "",
      ...("call_id" in item ? { call_id: "" } : {}),
    })),
  };
}

/** A thought, as a script tells it. */
export function thinks(text: string): ScriptStep {
  return { type: "reasoning-delta", choice: 0, text, tokens: text.split(" ").length };
}

/** A call of a tool, likewise, and the end of its answer. */
export function calls(id: string, name: string, json: string): readonly ScriptStep[] {
  const place = { choice: 0, index: 0 } as const;
  return [
    { type: "tool-call-start", ...place, id, name, tokens: 2 },
    { type: "tool-call-delta", ...place, arguments: json, tokens: 3 },
    { type: "tool-call-end", ...place, tokens: 1 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
}

/** A request that nobody waits for. */
export const inBackground = { input: "Hello", background: true } as const;

/** A server that says "Good", and " day." once the gate is open; whoever asks for less says Bye. */
export async function halfway(options: ComposeOptions = {}) {
  const wait = gate();
  const server = await compose(
    (prompt) => (prompt.includes("Bye") ? ["Bye."] : ["Good", wait.opened, " day."]),
    options,
  );
  return { server, ask: askerOf(server.url), open: () => wait.open() };
}

/** Reads a stream up to its first piece of text. @returns the response's id. */
export async function begun(frames: Frames): Promise<string> {
  const created = await frames.until("response.created");
  await frames.until("response.output_text.delta");
  return "response" in created ? created.response.id : "";
}
