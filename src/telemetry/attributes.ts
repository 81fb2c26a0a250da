/**
 * The attributes of spans, by OpenTelemetry's semantic conventions for HTTP servers and for generative AI, and Hearth's own. The SDK
 * leaves out attributes without a value.
 */
import type { Attributes } from "@opentelemetry/api";
import type {
  EndedRequest,
  EndedRun,
  RunParameters,
  StartedCall,
  StartedRequest,
  StartedRun,
} from "../core/telemetry/tracing.js";

/** The name of this server as a provider of models. */
const provider = "hearth";
/** A user agent is the client's own text. */
const userAgentCharsMax = 200;

/** What is known of a request when its headers have arrived. Its path has ids, and URLs of images are secrets: the route stands for it. */
export function requestAttributes(request: StartedRequest): Attributes {
  const { host, userAgent, method, scheme, requestId } = request;
  return {
    "http.request.method": method,
    "url.scheme": scheme,
    ...serverAttributes(host),
    "user_agent.original": userAgent?.slice(0, userAgentCharsMax),
    "hearth.request_id": requestId,
  };
}

function serverAttributes(host: string | null): Attributes {
  const [, name, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(host ?? "") ?? [];
  return { "server.address": name, "server.port": port === undefined ? undefined : Number(port) };
}

export function responseAttributes({ route, status, clientLeft }: EndedRequest): Attributes {
  const error = clientLeft ? "client_left" : status >= 500 ? String(status) : null;
  return {
    "http.response.status_code": status,
    "http.route": route ?? undefined,
    "url.path": route ?? undefined,
    "error.type": error ?? undefined,
  };
}

/** What is known of a run when it is admitted. */
export function runAttributes(run: StartedRun): Attributes {
  return {
    "gen_ai.operation.name": run.operation,
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": run.requestedModel,
    "gen_ai.request.stream": run.streamed,
    "gen_ai.output.type": run.operation === "generate_content" ? "image" : undefined,
    ...parameterAttributes(run.parameters),
    "hearth.run_id": run.id,
    "hearth.request_id": run.requestId,
    "hearth.endpoint": run.endpoint,
    "hearth.team_id": run.teamId,
    "hearth.api_key_id": run.apiKeyId,
    "hearth.work_class": run.workClass,
  };
}

function parameterAttributes(parameters: RunParameters): Attributes {
  const { choices = 1, seed, topK, maxTokens } = parameters;
  return {
    "gen_ai.request.temperature": parameters.temperature,
    "gen_ai.request.top_p": parameters.topP,
    "gen_ai.request.top_k": topK ?? undefined,
    "gen_ai.request.frequency_penalty": parameters.frequencyPenalty,
    "gen_ai.request.presence_penalty": parameters.presencePenalty,
    "gen_ai.request.seed": seed ?? undefined,
    "gen_ai.request.max_tokens": maxTokens ?? undefined,
    "gen_ai.request.choice.count": choices === 1 ? undefined : choices,
  };
}

/** What is known of a request to a remote engine when it is sent. */
export function callAttributes({ operation, provider: engine, model, host }: StartedCall): Attributes {
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": engine,
    "gen_ai.request.model": model,
    ...serverAttributes(host),
  };
}

/** What is known of a run when it is settled. */
export function endAttributes(run: EndedRun): Attributes {
  const { usage, finishReasons, content, ttftMs } = run;
  return {
    "gen_ai.response.model": run.model,
    "gen_ai.usage.input_tokens": usage.promptTokens,
    "gen_ai.usage.output_tokens": usage.completionTokens + usage.reasoningTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
    "gen_ai.response.finish_reasons": finishReasons.length === 0 ? undefined : [...finishReasons],
    "error.type": findErrorType(run) ?? undefined,
    "hearth.state": run.state,
    "hearth.queue_ms": run.queueMs ?? undefined,
    "hearth.time_to_first_token_ms": ttftMs ?? undefined,
    "hearth.cost_usd_ticks": run.costTicks,
    "gen_ai.input.messages": content?.input,
    "gen_ai.output.messages": content?.output,
  };
}

function findErrorType({ state, errorKind }: EndedRun): string | null {
  return errorKind ?? (state === "completed" ? null : state);
}
