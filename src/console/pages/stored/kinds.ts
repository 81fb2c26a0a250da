/** The kinds of stored things, in the order of the page. */
import { serverAddress } from "../../lib/base-path.js";
import type { StoredKind } from "../../../jobs/stored/stored-object.js";

export interface KindEntry {
  readonly kind: StoredKind;
  readonly title: string;
  readonly one: string;
  /** The states by which they are filtered. */
  readonly states: readonly string[];
  /** What to do so that there is one, and a command of it. */
  readonly hint: string;
  readonly command: string | null;
}

const json = '-H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json"';

export const kinds: readonly KindEntry[] = [
  {
    kind: "deferred-completions",
    title: "Deferred",
    one: "deferred completion",
    states: ["pending", "done", "failed"],
    hint: "A chat completion with “deferred”: true is answered when there is capacity, and fetched once by its client.",
    command: `curl ${serverAddress}/v1/chat/completions ${json} -d '{"model": "hearth-tiny-5m", "messages": [{"role": "user", "content": "Hello!"}], "deferred": true}'`,
  },
  {
    kind: "responses",
    title: "Responses",
    one: "response",
    states: ["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"],
    hint: "Responses are stored unless their request says “store”: false; with “background”: true nobody waits for them.",
    command: `curl ${serverAddress}/v1/responses ${json} -d '{"model": "hearth-tiny-5m", "input": "Hello!", "background": true}'`,
  },
  {
    kind: "chat-completions",
    title: "Chat completions",
    one: "chat completion",
    states: [],
    hint: "A chat completion with “store”: true can be listed and read again.",
    command: `curl ${serverAddress}/v1/chat/completions ${json} -d '{"model": "hearth-tiny-5m", "messages": [{"role": "user", "content": "Hello!"}], "store": true}'`,
  },
  {
    kind: "batches",
    title: "Batches",
    one: "batch",
    states: [
      "validating",
      "in_progress",
      "finalizing",
      "cancelling",
      "completed",
      "failed",
      "expired",
      "cancelled",
    ],
    hint: "A batch answers many requests within a day, at a reduced price: one request as JSON on each line of a file.",
    command: "hearth batches create requests.jsonl",
  },
  {
    kind: "files",
    title: "Files",
    one: "file",
    states: [],
    hint: "Programs upload files for batches and prompts; the outputs of batches are files, too.",
    command: `curl ${serverAddress}/v1/files -H "Authorization: Bearer $OPENAI_API_KEY" -F purpose=user_data -F file=@report.pdf`,
  },
];

/** Returns the kind of an address; the first one for any other name. */
export function findStoredKind(name: string | null): KindEntry {
  const [first] = kinds;
  const found = kinds.find(({ kind }) => kind === name) ?? first;
  if (found === undefined) throw new Error("there are no kinds");
  return found;
}

/** Returns `in progress` for `in_progress`. */
export function storedStateText(state: string): string {
  return state.replaceAll("_", " ");
}

/** Returns the class of a state, as the styles have it. */
export function stateClass(state: string): string {
  if (["done", "completed"].includes(state)) return "good";
  if (["failed", "expired"].includes(state)) return "bad";
  if (["pending", "queued", "validating"].includes(state)) return "warn";
  return ["in_progress", "finalizing", "cancelling"].includes(state) ? "live" : "";
}
