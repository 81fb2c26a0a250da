/** The shapes of files for OpenAI and Anthropic clients. */
import { z } from "zod";
import {
  countField,
  responseArray,
  responseObject,
  unixSecondsField,
} from "../../dialects/response-fields.js";
import type { FilePage, StoredFile } from "../../inference/files/stored-file.js";

const openaiFile = responseObject({
  id: z.string(),
  object: z.literal("file"),
  bytes: countField("Size of the file."),
  created_at: unixSecondsField,
  expires_at: unixSecondsField.nullable(),
  filename: z.string(),
  purpose: z.enum(["assistants", "batch", "batch_output", "user_data", "vision"]),
  status: z.literal("processed"),
}).meta({ id: "File" });

const anthropicFile = responseObject({
  id: z.string(),
  type: z.literal("file"),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: countField("Size of the file."),
  created_at: z.iso.datetime(),
  downloadable: z.literal(true),
}).meta({ id: "AnthropicFile", description: "For requests with the header `anthropic-version`." });

export const fileSchema = z.union([openaiFile, anthropicFile]);

const pageFields = {
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
};

export const filePageSchema = z.union([
  responseObject({ object: z.literal("list"), data: responseArray(openaiFile), ...pageFields }).meta({
    id: "FileList",
  }),
  responseObject({ data: responseArray(anthropicFile), ...pageFields }).meta({ id: "AnthropicFileList" }),
]);

export const deletedFileSchema = z.union([
  responseObject({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) }).meta({
    id: "DeletedFile",
  }),
  responseObject({ id: z.string(), type: z.literal("file_deleted") }).meta({ id: "AnthropicDeletedFile" }),
]);

/** Returns a file in the format of the client. */
export function presentFile(file: StoredFile, isAnthropic: boolean): z.infer<typeof fileSchema> {
  return isAnthropic ? presentForAnthropic(file) : presentForOpenAi(file);
}

/** Returns a page of files in the format of the client. */
export function presentFilePage(
  { files, hasMore }: FilePage,
  isAnthropic: boolean,
): z.infer<typeof filePageSchema> {
  const rest = { has_more: hasMore, first_id: files[0]?.id ?? null, last_id: files.at(-1)?.id ?? null };
  if (isAnthropic) return { data: files.map(presentForAnthropic), ...rest };
  return { object: "list", data: files.map(presentForOpenAi), ...rest };
}

/** Returns the body that confirms a deletion. */
export function presentDeletedFile(id: string, isAnthropic: boolean): z.infer<typeof deletedFileSchema> {
  return isAnthropic ? { id, type: "file_deleted" } : { id, object: "file", deleted: true };
}

function presentForOpenAi(file: StoredFile): z.infer<typeof openaiFile> {
  return {
    id: file.id,
    object: "file",
    bytes: file.bytes,
    created_at: Math.floor(file.createTime / 1000),
    expires_at: file.expireTime === null ? null : Math.floor(file.expireTime / 1000),
    filename: file.filename,
    // No client sees the results of a message batch as a file.
    purpose: file.purpose === "message_batch_results" ? "batch_output" : file.purpose,
    status: "processed",
  };
}

function presentForAnthropic(file: StoredFile): z.infer<typeof anthropicFile> {
  return {
    id: file.id,
    type: "file",
    filename: file.filename,
    mime_type: file.mimeType,
    size_bytes: file.bytes,
    created_at: new Date(file.createTime).toISOString(),
    downloadable: true,
  };
}
