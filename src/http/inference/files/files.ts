/** /v1/files: upload, list, get and delete files, for OpenAI and Anthropic clients. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import { validFields, fieldError, invalidValue } from "../../../dialects/field-error.js";
import { queryInteger } from "../../../dialects/request-fields.js";
import type { FileFields } from "../../../inference/files/files.js";
import { toStoredOwner } from "../../../inference/stored-owner.js";
import {
  uploadPurposes,
  visiblePurposes,
  type FilePage,
  type FileQuery,
  type FilePurpose,
  type StoredFile,
} from "../../../inference/files/stored-file.js";
import type { Context } from "../../server/context.js";
import { isAnthropicClient } from "../../server/client-format.js";
import { readUpload, type Upload } from "../../server/multipart.js";
import { apiKeyRoute } from "../../server/route.js";
import {
  countField,
  responseArray,
  responseObject,
  unixSecondsField,
} from "../../../dialects/response-fields.js";

// The shapes of files for OpenAI and Anthropic clients.

/** Most files of one page, as the hosted services have it. */
const fileLimitMax = 10_000;

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

const fileSchema = z.union([openaiFile, anthropicFile]);

const pageFields = {
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
};

const filePageSchema = z.union([
  responseObject({ object: z.literal("list"), data: responseArray(openaiFile), ...pageFields }).meta({
    id: "FileList",
  }),
  responseObject({ data: responseArray(anthropicFile), ...pageFields }).meta({ id: "AnthropicFileList" }),
]);

const deletedFileSchema = z.union([
  responseObject({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) }).meta({
    id: "DeletedFile",
  }),
  responseObject({ id: z.string(), type: z.literal("file_deleted") }).meta({ id: "AnthropicDeletedFile" }),
]);

/** What files are for one kind of client. */
interface FileFormat {
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

const openaiFiles: FileFormat = {
  limitMax: fileLimitMax,
  limitDefault: fileLimitMax,
  purposeDefault: null,
  file: presentForOpenAi,
  page: (page) => ({ object: "list", data: page.files.map(presentForOpenAi), ...pageRest(page) }),
  deleted: (id) => ({ id, object: "file", deleted: true }),
};

const anthropicFiles: FileFormat = {
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

const fileQuerySchema = z.object({
  limit: queryInteger(1, fileLimitMax),
  order: z.enum(["asc", "desc"]).nullish().describe("By time of creation; `desc` without it."),
  after: z.string().nullish().describe("Id of the file after which the page starts."),
  purpose: z.string().nullish(),
  after_id: z.string().nullish().describe("The same as `after`, for Anthropic clients."),
  before_id: z
    .string()
    .nullish()
    .describe("Id of the file before which the page ends, for Anthropic clients."),
});

const secondsMin = 3_600;
const secondsMax = 2_592_000;
/** How long the input of a batch is stored where its request does not say, as by the hosted service. */
const batchInputSeconds = 2_592_000;

const secondsProblem = `must be a whole number of seconds from ${secondsMin} to ${secondsMax}`;

const fieldsSchema = z.object({
  purpose: z.enum(uploadPurposes),
  "expires_after[anchor]": z.literal("created_at").optional(),
  "expires_after[seconds]": z
    .string()
    .regex(/^\d{1,10}$/, secondsProblem)
    .transform(Number)
    .refine((seconds) => seconds >= secondsMin && seconds <= secondsMax, secondsProblem)
    .optional(),
});

/** The form as the reference documents it. */
const formSchema = z.object({
  file: z.string().meta({ format: "binary" }),
  purpose: z
    .enum(uploadPurposes)
    .optional()
    .describe("Required, except with the header `anthropic-version`."),
  "expires_after[anchor]": z.literal("created_at").optional(),
  "expires_after[seconds]": z
    .string()
    .optional()
    .describe(
      `From ${secondsMin} to ${secondsMax}; without it, files with the purpose \`batch\` expire after 30 days.`,
    ),
});

export const fileParams = { file_id: "Id of a file of the key's team." };

/** Stores an uploaded file. */
export const createFile = apiKeyRoute({
  method: "POST",
  path: "/v1/files",
  acl: "files",
  takesBody: "form",
  errors: "either",
  docs: {
    operation: "createFile",
    tag: "Files",
    summary: "Upload a file",
    description:
      "Requests with the header `anthropic-version`, which Anthropic's SDKs send, get the shapes and errors of Anthropic's Files API, " +
      "here and on the other routes of files.",
    form: formSchema,
    answers: { 200: { description: "The file is stored.", schema: fileSchema } },
  },
  async handle({ ctx, principal, route }, { files, clock, bodyBudget }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const format = formatFor(ctx);
    const draft = await files.begin(toStoredOwner(principal), true);
    try {
      const upload = await readUpload(ctx, bodyBudget, (chunk) => draft.write(chunk));
      const file = await draft.finish(readFileFields(upload, format, clock.now()));
      ctx.body = format.file(file);
    } finally {
      await draft.discard();
    }
  },
});

/** Lists the files of the key's team. */
export const listFiles = apiKeyRoute({
  method: "GET",
  path: "/v1/files",
  acl: "files",
  errors: "either",
  docs: {
    operation: "listFiles",
    tag: "Files",
    summary: "List the files of the team",
    query: fileQuerySchema,
    answers: { 200: { description: "A page of files.", schema: filePageSchema } },
  },
  async handle({ ctx, principal, route }, { files }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const format = formatFor(ctx);
    const page = await listByQuery(files, { query: ctx.query, teamId: principal.team.id }, format);
    ctx.body = format.page(page);
  },
});

/** Returns one file without its content. */
export const getFile = apiKeyRoute({
  method: "GET",
  path: "/v1/files/:file_id",
  acl: "files",
  errors: "either",
  docs: {
    operation: "getFile",
    tag: "Files",
    summary: "Get a file without its content",
    params: fileParams,
    answers: { 200: { description: "The file.", schema: fileSchema } },
  },
  async handle({ ctx, principal, params, route }, { files }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const file = await files.find(params["file_id"] ?? "", principal.team.id);
    ctx.body = formatFor(ctx).file(file);
  },
});

/** Deletes a file. */
export const deleteFile = apiKeyRoute({
  method: "DELETE",
  path: "/v1/files/:file_id",
  acl: "files",
  errors: "either",
  docs: {
    operation: "deleteFile",
    tag: "Files",
    summary: "Delete a file",
    params: fileParams,
    answers: { 200: { description: "The file is deleted.", schema: deletedFileSchema } },
  },
  async handle({ ctx, principal, params, route }, { files }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const { id } = await files.find(params["file_id"] ?? "", principal.team.id);
    await files.delete(id);
    ctx.body = formatFor(ctx).deleted(id);
  },
});

/** Reads the fields of an upload. */
function readFileFields(
  { fields, filename, mimeType }: Upload,
  { purposeDefault }: FileFormat,
  now: number,
): FileFields {
  const { purpose, "expires_after[seconds]": seconds } = validFields(fieldsSchema, {
    purpose: purposeDefault ?? undefined,
    ...fields,
  });
  const lifeSeconds = seconds ?? (purpose === "batch" ? batchInputSeconds : null);
  return { filename, mimeType, purpose, expireTime: lifeSeconds === null ? null : now + lifeSeconds * 1000 };
}

/** Returns the format of files for a client. */
function formatFor(ctx: Context): FileFormat {
  return isAnthropicClient(ctx) ? anthropicFiles : openaiFiles;
}

/** Parses the query of a URL and lists the files. @throws HearthError that names the field. */
async function listByQuery(
  source: { list(query: FileQuery): Promise<FilePage> },
  { query, teamId }: { readonly query: unknown; readonly teamId: string },
  { limitMax, limitDefault }: FileFormat,
): Promise<FilePage> {
  const parsed = fileQuerySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  const { limit, order, after, purpose, after_id: afterId, before_id: before } = parsed.data;
  if (limit != null && limit > limitMax) throw invalidValue("limit", `must be between 1 and ${limitMax}`);
  const known = visiblePurposes.find((each) => each === purpose);
  if (purpose != null && known === undefined) return { files: [], hasMore: false };
  const common = { teamId, purpose: known ?? null, limit: limit ?? limitDefault };
  if (before == null)
    return source.list({ ...common, order: order ?? "desc", after: after ?? afterId ?? null });
  const page = await source.list({ ...common, order: order === "asc" ? "desc" : "asc", after: before });
  return { ...page, files: page.files.toReversed() };
}
