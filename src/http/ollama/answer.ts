/** What POST /api/chat and POST /api/generate have in common: both answer a run, or only load or unload a model. */
import { authoriseModel } from "../../answers/authorise-model.js";
import { ollamaEndpoint, type AnswerForm } from "../../answers/ollama.js";
import type { OllamaIdentity } from "../../dialects/ollama/answer.js";
import { answerCall } from "../server/answer.js";
import type { AppContext } from "../server/app-context.js";
import { whileClientWaits } from "../server/reply/client.js";
import type { Call } from "../server/route.js";
import { knownName } from "./names.js";

/** Answers a request of an endpoint. */
export async function answerIn(form: AnswerForm, call: Call, app: AppContext): Promise<void> {
  const { request, model, stream, keepAliveMs } = form.parse(call.body, call.bodyText);
  const name = knownName(app.models, model);
  if (request === null) {
    authoriseModel(app.models, call, name);
    const identity = { model, created: app.clock.now(), times: timesFrom(app) };
    return loadOnly(form, app, call, { identity, name, keepAliveMs });
  }
  const answer = {
    request: { ...request, model: name },
    writtenModel: model,
    receivedTime: app.clock.now(),
    stream,
    keepAliveMs,
  };
  return answerCall(app, ollamaEndpoint(form, answer), call);
}

interface LoadOnly {
  readonly identity: OllamaIdentity;
  readonly name: string;
  readonly keepAliveMs: number | undefined;
}

async function loadOnly(
  form: AnswerForm,
  { generator }: AppContext,
  { ctx }: Call,
  { identity, name, keepAliveMs }: LoadOnly,
): Promise<void> {
  const isLoaded = await whileClientWaits(ctx.req.socket, (signal) =>
    generator.preload(name, keepAliveMs, signal),
  );
  if (isLoaded !== null) ctx.body = form.loaded(identity, isLoaded ? "load" : "unload");
}

/** Measures from now on. */
export function timesFrom({ clock }: AppContext): OllamaIdentity["times"] {
  const began = clock.monotonic();
  return () => ({ elapsedMs: clock.monotonic() - began, loadMs: null, prefillMs: null, decodeMs: null });
}
