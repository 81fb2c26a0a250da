/**
 * POST /admin/models/pull and GET and DELETE /admin/models/pulls, an extension: downloads of models, which go on when the client leaves
 * and after a restart.
 */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { dataFrame, pingFrame } from "../../../dialects/sse.js";
import type { PullStatus } from "../../../jobs/pulls/pull-jobs.js";
import type { AppContext } from "../../server/app-context.js";
import { booleanField, isTrue, parseFields } from "../../../dialects/management/fields.js";
import { sendFrames } from "../../server/reply/reply.js";
import { managementRoute } from "../../server/route.js";
import type { StreamDocs } from "../../server/route-docs.js";

const whatCharactersMax = 2000;

const pullRequest = z
  .object({
    model: z
      .string()
      .min(1)
      .max(whatCharactersMax)
      .describe(
        "`org/repo`, `org/repo:quant`, `org/repo/file.gguf`, an https URL, or a name such as `qwen3:4b`.",
      ),
    stream: booleanField
      .nullish()
      .describe(
        "Whether to stream the progress as events until the pull has ended; the pull does not depend on the stream.",
      ),
  })
  .meta({ id: "PullModelRequest" });

const time = z.iso.datetime();

const modelPullSchema = responseObject({
  id: z.string(),
  object: z.literal("model_pull"),
  model: z.string().describe("What was asked."),
  state: z.enum(["queued", "running", "done", "failed", "cancelled"]),
  phase: z.enum(["resolving", "downloading", "verifying", "done"]).nullable(),
  file: z.string().nullable().describe("The file in work."),
  bytesDone: z.number().nullable().describe("The sum over all files."),
  bytesTotal: z.number().nullable(),
  bytesPerSecond: z.number().nullable(),
  modelId: z.string().nullable().describe("ID of the model, once it is done."),
  error: z.string().nullable().describe("Why it has failed."),
  createTime: time,
  endTime: time.nullable(),
}).meta({ id: "ModelPull" });

export type WirePull = z.infer<typeof modelPullSchema>;

const pullQuery = z.object({
  stream: booleanField.nullish().describe("Whether to stream the progress until the pull has ended."),
});

const modelPullList = responseObject({
  object: z.literal("list"),
  data: responseArray(modelPullSchema),
}).meta({ id: "ModelPullList" });

const stream: StreamDocs = { schema: modelPullSchema, named: false, done: false };

const params = { pullId: "ID of a pull." };

/** Starts a pull. */
export const createPull = managementRoute({
  method: "POST",
  path: "/admin/models/pull",
  acl: "ManageModels",
  forAllTeams: true,
  docs: {
    operation: "createModelPull",
    tag: "Models",
    summary: "Download a model",
    description:
      "An extension of Hearth. Answers at once; the download goes on when the client leaves and after a restart. A pull of the same " +
      "model that has not ended is joined. Requires a management key for all teams.",
    body: pullRequest,
    example: { model: "org/repo:Q4_K_M" },
    stream,
    answers: { 200: { description: "The pull.", schema: modelPullSchema } },
  },
  async handle({ ctx, manager, body }, app) {
    const { model, stream } = parseFields(pullRequest, body);
    const status = await app.pullJobs.create(model, toActor(manager));
    if (!isAsked(stream)) ctx.body = present(status);
    else await sendFrames(app, ctx, followFrames(app, status.pull.id), { ping: pingFrame });
  },
});

/** Lists the newest pulls. */
export const listPulls = managementRoute({
  method: "GET",
  path: "/admin/models/pulls",
  acl: "ListModels",
  forAllTeams: true,
  docs: {
    operation: "listModelPulls",
    tag: "Models",
    summary: "List downloads of models",
    description: "An extension of Hearth.",
    answers: { 200: { description: "The newest first.", schema: modelPullList } },
  },
  async handle({ ctx }, { pullJobs }) {
    const answer: z.infer<typeof modelPullList> = {
      object: "list",
      data: (await pullJobs.list()).map(present),
    };
    ctx.body = answer;
  },
});

/** Returns a pull, or streams its progress. */
export const getPull = managementRoute({
  method: "GET",
  path: "/admin/models/pulls/:pullId",
  acl: "ListModels",
  forAllTeams: true,
  docs: {
    operation: "getModelPull",
    tag: "Models",
    summary: "Get the progress of a download",
    description: "An extension of Hearth.",
    params,
    query: pullQuery,
    stream,
    answers: { 200: { description: "The pull.", schema: modelPullSchema } },
  },
  async handle({ ctx, params }, app) {
    const { stream } = parseFields(pullQuery, ctx.query);
    const status = await app.pullJobs.find(params["pullId"] ?? "");
    if (!isAsked(stream)) ctx.body = present(status);
    else await sendFrames(app, ctx, followFrames(app, status.pull.id), { ping: pingFrame });
  },
});

/** Cancels a pull. */
export const cancelPull = managementRoute({
  method: "DELETE",
  path: "/admin/models/pulls/:pullId",
  acl: "ManageModels",
  forAllTeams: true,
  docs: {
    operation: "cancelModelPull",
    tag: "Models",
    summary: "Cancel a download",
    description:
      "An extension of Hearth. What was downloaded is kept, so that a later pull goes on from there.",
    params,
    answers: { 200: { description: "The pull, which has ended.", schema: modelPullSchema } },
  },
  async handle({ ctx, manager, params }, { pullJobs }) {
    ctx.body = present(await pullJobs.cancel(params["pullId"] ?? "", toActor(manager)));
  },
});

function followFrames({ pullJobs }: AppContext, id: string): (left: AbortSignal) => AsyncIterable<string> {
  return async function* (left) {
    for await (const status of pullJobs.follow(id, left)) yield dataFrame(present(status));
  };
}

function isAsked(stream: z.infer<typeof booleanField> | null | undefined): boolean {
  return stream != null && isTrue(stream);
}

function present({ pull, progress }: PullStatus): WirePull {
  return {
    id: pull.id,
    object: "model_pull",
    model: pull.what,
    state: pull.state,
    phase: progress?.phase ?? null,
    file: progress?.file ?? null,
    bytesDone: progress?.bytesDone ?? null,
    bytesTotal: progress?.bytesTotal ?? null,
    bytesPerSecond: progress?.bytesPerSecond ?? null,
    modelId: pull.modelId,
    error: pull.error,
    createTime: new Date(pull.createTime).toISOString(),
    endTime: pull.endTime === null ? null : new Date(pull.endTime).toISOString(),
  };
}
