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
} from "../../../inference/files/stored-file.js";
import type { Context } from "../../server/context.js";
import { isAnthropicClient } from "../../server/client-format.js";
import { readUpload, type Upload } from "../../server/multipart.js";
import {
  anthropicFiles,
  deletedFileSchema,
  type FileFormat,
  filePageSchema,
  fileSchema,
  openaiFiles,
  fileLimitMax,
} from "./present.js";
import { apiKeyRoute } from "../../server/route.js";

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
