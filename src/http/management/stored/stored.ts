/**
 * GET /admin/teams/{teamId}/responses, GET and DELETE /admin/responses/{responseId}, and likewise for other kinds, an extension: what the
 * teams of the server have stored, for those who manage it. Any API key of the team can read it by the routes of /v1.
 */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import {
  canCancel,
  canDelete,
  type StoredKind,
  storedKinds,
  type StoredObject,
} from "../../../jobs/stored/stored-object.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { emptySchema, timeSchema, timestamp } from "../../../dialects/management/answers.js";
import { createPages, encodePageToken } from "../../../dialects/management/pages.js";
import { managementRoute, type ManagementRoute } from "../../server/route.js";

const pages = createPages(z.string(), { items: "Objects", usual: 50, most: 500 });

const querySchema = z.object({
  ...pages.query,
  state: z
    .string()
    .max(40)
    .nullish()
    .describe("Only those in this state, such as `pending` or `in_progress`."),
  background: z
    .enum(["true", "false"])
    .nullish()
    .describe("Only responses that are processed in the background, or only the others."),
  query: z
    .string()
    .max(200)
    .nullish()
    .describe(
      "Only those that have this text in the ID, in the name of a file or in the model of a chat completion, whatever the case of " +
        "ASCII letters.",
    ),
});

export const storedObjectSchema = responseObject({
  kind: z.enum(storedKinds),
  id: z.string(),
  teamId: z.string(),
  userId: z
    .string()
    .optional()
    .describe("Who created the API key of its request. Absent for what is older than this field."),
  state: z
    .string()
    .optional()
    .describe(
      "A deferred completion is `pending`, `done` or `failed`; a response or a batch has its `status`; absent for other kinds.",
    ),
  background: z.boolean().optional().describe("For a response: whether it is processed in the background."),
  model: z.string().optional(),
  filename: z.string().optional().describe("For a file."),
  purpose: z.string().optional().describe("For a file, such as `batch`."),
  bytes: countField("Size of a file, or of the requests of a batch.").optional(),
  endpoint: z.string().optional().describe("For a batch: the route of its requests."),
  lines: responseObject({
    total: countField("Requests of the batch; 0 while they are being validated."),
    succeeded: countField("Requests with an answer."),
    errored: countField("Requests with an error."),
    dropped: countField("Requests that were not answered because the batch expired or was cancelled."),
  })
    .optional()
    .describe("For a batch."),
  outputFileId: z.string().optional().describe("For a batch: the file with its answers."),
  errorFileId: z.string().optional().describe("For a batch: the file with its errors."),
  error: z.string().optional().describe("Why it failed."),
  createTime: timeSchema,
  endTime: timeSchema.optional().describe("When a batch ended."),
  expireTime: timeSchema
    .optional()
    .describe("When it is deleted; of a batch that has not ended, when it ends at the latest."),
  canCancel: z.boolean().describe("Whether it is being worked on and can be cancelled."),
  canDelete: z.boolean().describe("Whether it can be deleted now: a batch must have ended."),
}).meta({ id: "StoredObject", description: "Something that a team has stored, without its content." });

export type WireStoredObject = z.infer<typeof storedObjectSchema>;

const pageSchema = responseObject({
  objects: responseArray(storedObjectSchema).describe("The newest first."),
  ...pages.answer,
}).meta({ id: "StoredObjectPage" });

/** A kind of stored objects, with what names it in paths and in the reference. */
export interface StoredResource {
  readonly kind: StoredKind;
  /** The parameter of its paths. */
  readonly param: string;
  /** As in `getManagedResponse`. */
  readonly operation: string;
  /** As in `listManagedResponses`. */
  readonly operationOfAll: string;
  readonly one: string;
  readonly many: string;
}

/** Lists a page of what a team has stored. */
export function listStored(resource: StoredResource): ManagementRoute {
  const { kind, operationOfAll, many } = resource;
  return managementRoute({
    method: "GET",
    path: `/admin/teams/:teamId/${kind}`,
    acl: "StoredRead",
    docs: {
      operation: `listManaged${operationOfAll}`,
      tag: "Stored",
      summary: `List the ${many} of a team`,
      description:
        "An extension of Hearth. The newest first. A management key of a member with the role `member` lists what was stored for API " +
        "keys that they created. With a filter, a page can be short or empty although there is a next page.",
      params: { teamId: "ID of a team." },
      query: querySchema,
      answers: { 200: { description: "One page.", schema: pageSchema } },
    },
    async handle({ ctx, manager, params }, { storedObjects }) {
      const query = parseFields(querySchema, ctx.query);
      const { limit, after } = pages.read(query);
      const { objects, next } = await storedObjects.page(
        {
          kind,
          teamId: params["teamId"] ?? "",
          state: query.state || null,
          background: query.background == null ? null : query.background === "true",
          text: query.query || null,
          after: after === null ? null : { place: after[0], id: after[1] },
          limit,
        },
        toActor(manager),
      );
      const answer: z.infer<typeof pageSchema> = {
        objects: objects.map(presentStored),
        paginationToken: next === null ? undefined : encodePageToken([next.place, next.id]),
      };
      ctx.body = answer;
    },
  });
}

/** Returns something stored, without its content. */
export function getStored(resource: StoredResource): ManagementRoute {
  const { kind, param, operation, one } = resource;
  return managementRoute({
    method: "GET",
    path: `/admin/${kind}/:${param}`,
    acl: "StoredRead",
    docs: {
      operation: `getManaged${operation}`,
      tag: "Stored",
      summary: `Get a ${one} without its content`,
      description: "An extension of Hearth.",
      params: paramDocs(resource),
      answers: { 200: { description: "What is known of it.", schema: storedObjectSchema } },
    },
    async handle({ ctx, manager, params }, { storedObjects }) {
      ctx.body = presentStored(await storedObjects.find(kind, params[param] ?? "", toActor(manager)));
    },
  });
}

/** Deletes something stored. */
export function deleteStored(resource: StoredResource): ManagementRoute {
  const { kind, param, operation, one } = resource;
  return managementRoute({
    method: "DELETE",
    path: `/admin/${kind}/:${param}`,
    acl: "StoredWrite",
    docs: {
      operation: `deleteManaged${operation}`,
      tag: "Stored",
      summary: `Delete a ${one}`,
      description: `An extension of Hearth. ${kind === "batches" ? "It must have ended." : "One that is being worked on is cancelled first."}`,
      params: paramDocs(resource),
      answers: { 200: { description: "It is deleted.", schema: emptySchema } },
      errors: kind === "batches" ? ["conflict"] : [],
    },
    async handle({ ctx, manager, params }, { storedObjects }) {
      await storedObjects.delete(kind, params[param] ?? "", toActor(manager));
      ctx.body = {};
    },
  });
}

/** Returns the documentation of the path of one object. */
export function paramDocs({ param, one }: StoredResource): Readonly<Record<string, string>> {
  return { [param]: `ID of a ${one}.` };
}

/** Presents something stored. */
export function presentStored(object: StoredObject): WireStoredObject {
  return {
    kind: object.kind,
    id: object.id,
    teamId: object.teamId,
    createTime: timestamp(object.createTime),
    canCancel: canCancel(object),
    canDelete: canDelete(object),
    userId: object.userId ?? undefined,
    state: object.state ?? undefined,
    background: object.background ?? undefined,
    model: object.model ?? undefined,
    filename: object.filename ?? undefined,
    purpose: object.purpose ?? undefined,
    bytes: object.bytes ?? undefined,
    endpoint: object.endpoint ?? undefined,
    lines: object.lines ?? undefined,
    outputFileId: object.outputFileId ?? undefined,
    errorFileId: object.errorFileId ?? undefined,
    error: object.error ?? undefined,
    endTime: timestamp(object.endTime),
    expireTime: timestamp(object.expireTime),
  };
}
