/** The shapes of files for OpenAI and Anthropic clients. */
import { z } from "zod";
import {
  countField,
  responseArray,
  responseObject,
  unixSecondsField,
} from "../../../dialects/response-fields.js";
import type { FilePage, FilePurpose, StoredFile } from "../../../inference/files/stored-file.js";

/** Most files of one page, as the hosted services have it. */
export const fileLimitMax = 10_000;

const openaiFile = responseObject({
  id: z.string(),
  object: z.literal("file"),
  bytes: countField("Size of the file."),
  created_at: unixSecondsField,
  expires_at: unixSecondsField.optional().describe("Absent: it stays until it is deleted."),
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

/** What files are for one kind of client. */
export interface FileFormat {
  /** Most files of a page. */
  readonly limitMax: number;
  /** Files of a page whose query has no `limit`. */
  readonly limitDefault: number;
  /** The purpose of an upload that states none; null: it must state one. */
  readonly purposeDefault: FilePurpose | null;
  file(file: StoredFile): z.infer<typeof fileSchema>;
  page(page: FilePage): z.infer<typeof filePageSchema>;
  /** Returns the body that confirms a deletion. */
  deleted(id: string): z.infer<typeof deletedFileSchema>;
}

export const openaiFiles: FileFormat = {
  limitMax: fileLimitMax,
  limitDefault: fileLimitMax,
  purposeDefault: null,
  file: presentForOpenAi,
  page: (page) => ({ object: "list", data: page.files.map(presentForOpenAi), ...pageRest(page) }),
  deleted: (id) => ({ id, object: "file", deleted: true }),
};

export const anthropicFiles: FileFormat = {
  limitMax: 1_000,
  limitDefault: 20,
  purposeDefault: "user_data",
  file: presentForAnthropic,
  page: (page) => ({ data: page.files.map(presentForAnthropic), ...pageRest(page) }),
  deleted: (id) => ({ id, type: "file_deleted" }),
};

function pageRest({ files, hasMore }: FilePage) {
  return { has_more: hasMore, first_id: files[0]?.id ?? null, last_id: files.at(-1)?.id ?? null };
}

function presentForOpenAi(file: StoredFile): z.infer<typeof openaiFile> {
  return {
    id: file.id,
    object: "file",
    bytes: file.bytes,
    created_at: Math.floor(file.createTime / 1000),
    expires_at: file.expireTime === null ? undefined : Math.floor(file.expireTime / 1000),
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
