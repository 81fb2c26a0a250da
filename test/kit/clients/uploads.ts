/** Helpers for tests of files: uploads over HTTP, and what is on the disk. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export interface FileBody {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** Uploads a text, or the bytes of a file. @returns status and body. */
export async function upload(
  url: string,
  key: string,
  text: string | Buffer,
  fields: Readonly<Record<string, string>> = { purpose: "user_data" },
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: FileBody }> {
  const form = new FormData();
  form.append(
    "file",
    new Blob([typeof text === "string" ? text : new Uint8Array(text)], { type: "text/plain" }),
    "notes.txt",
  );
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = await fetch(`${url}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as FileBody };
}

/** Returns the names in the folder of files of a data folder. */
export function contentNames(data: string): readonly string[] {
  try {
    return readdirSync(join(data, "files")).sort();
  } catch {
    return [];
  }
}
