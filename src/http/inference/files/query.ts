/** The query of a list of files, in the parameters of OpenAI and of Anthropic. */
import { z } from "zod";
import { fieldError, invalidValue } from "../../../dialects/field-error.js";
import { queryInteger } from "../../../dialects/request-fields.js";
import { visiblePurposes, type FilePage, type FileQuery } from "../../../inference/files/stored-file.js";
import { fileLimitMax, type FileFormat } from "./present.js";

export const fileQuerySchema = z.object({
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

/** Parses the query of a URL and lists the files. @throws HearthError that names the field. */
export async function listByQuery(
  source: { list(query: FileQuery): Promise<FilePage> },
  { query, teamId }: { readonly query: unknown; readonly teamId: string },
  { limitMax, limitDefault }: Pick<FileFormat, "limitMax" | "limitDefault">,
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
