/** Helpers for tests of batches. */
import { join } from "node:path";
import Database from "better-sqlite3";
import OpenAI, { toFile } from "openai";
import { vi } from "vitest";
import { builtInModel } from "../server/settings.js";

export type Client = Pick<OpenAI, "files" | "batches">;

export function clientOf({ url, apiKey }: { readonly url: string; readonly apiKey: string }): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** A line of a batch's input that asks for a chat completion. */
export function chatLine(customId: string, content: string, more: object = {}): object {
  const body = { model: builtInModel, messages: [{ role: "user", content }], ...more };
  return { custom_id: customId, method: "POST", url: "/v1/chat/completions", body };
}

type Endpoint = OpenAI.BatchCreateParams["endpoint"];

/** Uploads lines, which are written as JSON unless they are texts, and creates a batch of them. */
export async function createBatch(
  client: Client,
  lines: readonly (object | string)[],
  endpoint: Endpoint = "/v1/chat/completions",
  more: Partial<OpenAI.BatchCreateParams> = {},
): Promise<OpenAI.Batch> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const file = await client.files.create({
    file: await toFile(Buffer.from(text), "input.jsonl"),
    purpose: "batch",
  });
  return client.batches.create({ input_file_id: file.id, endpoint, completion_window: "24h", ...more });
}

const final = ["completed", "failed", "expired", "cancelled"];

/** Waits until a batch has ended. */
export async function whenEnded(client: Client, { id }: Pick<OpenAI.Batch, "id">): Promise<OpenAI.Batch> {
  return vi.waitFor(
    async () => {
      const batch = await client.batches.retrieve(id);
      if (!final.includes(batch.status)) throw new Error(`the batch is ${batch.status}`);
      return batch;
    },
    { timeout: 30_000, interval: 20 },
  );
}

/**
 * Makes the database of a server reject changes, as a full disk does.
 * @param when the event and condition of a trigger. @returns what makes it accept them again
 */
export function refuseChanges(data: string, when: string): () => void {
  const change = (statement: string): void => {
    const database = new Database(join(data, "hearth.db"));
    database.exec(statement);
    database.close();
  };
  change(`create trigger full before ${when} begin select raise(abort, 'disk full'); end`);
  return () => change("drop trigger full");
}

export interface OutputLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: Body;
  } | null;
  readonly error: { readonly code: string } | null;
}

/** The parts of answers that tests read. */
interface Body {
  readonly choices?: readonly { readonly message?: { readonly content: string }; readonly text?: string }[];
  readonly usage?: { readonly cost_in_usd_ticks: number };
  readonly error?: { readonly code: string; readonly param: string | null };
  readonly [field: string]: unknown;
}

/** Returns the lines of an output file; none where there is no file. */
export async function linesOf(
  client: Client,
  fileId: string | null | undefined,
): Promise<readonly OutputLine[]> {
  if (fileId == null) return [];
  const text = await (await client.files.content(fileId)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as OutputLine);
}
