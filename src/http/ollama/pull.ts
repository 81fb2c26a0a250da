/** POST /api/pull, as Ollama has it: downloads a model. The download does not depend on the client. */
import { z } from "zod";
import { toActor } from "../../accounts/visibility.js";
import { HearthError } from "../../core/errors.js";
import { ollamaErrorBody } from "../../dialects/error-body.js";
import { ollamaError } from "../../dialects/error-schema.js";
import { validFields } from "../../dialects/field-error.js";
import { jsonLine, linesType } from "../../dialects/ollama/lines.js";
import { countField, responseObject } from "../../dialects/response-fields.js";
import type { PullStatus } from "../../jobs/pulls/pull-jobs.js";
import type { AppContext } from "../server/app-context.js";
import { namedFields } from "./model.js";
import { requireName } from "./names.js";
import { whileClientWaits } from "../server/reply/client.js";
import { sendFrames } from "../server/reply/reply.js";
import { managementRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const pullRequest = z
  .object({
    ...namedFields,
    stream: z.boolean().nullish().meta({ default: true, description: "Whether the progress is streamed." }),
  })
  .meta({ id: "OllamaPullRequest" });

const pullProgress = responseObject({
  status: z.string().describe("`success` at the end."),
  digest: z.string().optional().describe("The file in work."),
  total: countField("Bytes of all files.").optional(),
  completed: countField("Bytes that are done.").optional(),
}).meta({ id: "OllamaPullProgress" });

type Progress = z.infer<typeof pullProgress>;

/** Starts a pull, or joins one of the same model, and reports it until its end. */
export const createOllamaPull = managementRoute({
  method: "POST",
  path: "/api/pull",
  acl: "ManageModels",
  forAllTeams: true,
  ...ollamaClients,
  docs: {
    operation: "createOllamaPull",
    tag: "Ollama",
    summary: "Download a model",
    description:
      "The download goes on when the client leaves: `DELETE /admin/models/pulls/{pullId}` cancels it. Requires a management key for " +
      "all teams. Names are the same as for `hearth pull`, such as `qwen3:4b` or `hf.co/org/repo:Q4_K_M`.",
    body: pullRequest,
    example: { model: "qwen3:4b" },
    errors: ["conflict"],
    answers: { 200: { description: "The end of the download.", schema: pullProgress } },
    stream: { form: "lines", schema: z.union([pullProgress, ollamaError]) },
  },
  async handle({ ctx, manager, body }, app) {
    const fields = validFields(pullRequest, body);
    const { pull } = await app.pullJobs.create(requireName(fields), toActor(manager));
    if (fields.stream !== false)
      return sendFrames(app, ctx, followLines(app, pull.id), {
        contentType: linesType,
        ping: jsonLine({ status: "pulling" }),
      });
    const last = await whileClientWaits(ctx.req.socket, (left) => awaitEnd(app, pull.id, left));
    if (last === null) return undefined;
    if (last.pull.state !== "done") throw toFailure(last);
    ctx.body = success;
  },
});

const success: Progress = { status: "success" };

function followLines({ pullJobs }: AppContext, id: string): (left: AbortSignal) => AsyncIterable<string> {
  return async function* (left) {
    for await (const status of pullJobs.follow(id, left)) {
      const { state } = status.pull;
      if (state === "done") yield jsonLine(success);
      else if (state === "failed" || state === "cancelled")
        yield jsonLine(ollamaErrorBody(toFailure(status)));
      else yield jsonLine(present(status));
    }
  };
}

/** Returns the last status of a pull. @throws the signal's reason when it aborts. */
async function awaitEnd({ pullJobs }: AppContext, id: string, left: AbortSignal): Promise<PullStatus> {
  let last = await pullJobs.find(id);
  for await (const status of pullJobs.follow(id, left)) last = status;
  left.throwIfAborted();
  return last;
}

function present({ progress }: PullStatus): Progress {
  if (progress === null || progress.phase === "resolving") return { status: "pulling manifest" };
  const { phase, file, bytesDone, bytesTotal } = progress;
  if (phase === "done") return { status: "writing manifest" };
  return {
    status: phase === "verifying" ? "verifying sha256 digest" : `pulling ${file}`,
    digest: file,
    total: bytesTotal,
    completed: bytesDone,
  };
}

function toFailure({ pull }: PullStatus): HearthError {
  const reason =
    pull.state === "cancelled" ? "The pull was cancelled." : (pull.error ?? "The pull has not ended.");
  return new HearthError("conflict", reason);
}
