/**
 * Traces by OpenTelemetry's SDK. Nothing global is registered, except the SDK's log of its own problems. Spans wait in a bounded queue
 * and are exported in batches; while the collector is away, they are dropped.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span as SdkSpan,
  type TextMapPropagator,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Clock } from "../core/clock.js";
import type {
  EndedCall,
  EndedRequest,
  EndedRun,
  Span,
  StartedCall,
  StartedRequest,
  StartedRun,
  Tracing,
  RunParameters,
} from "../core/telemetry/tracing.js";

interface OpenTelemetryOptions {
  readonly clock: Clock;
  readonly version: string;
  readonly protocol: "http/protobuf" | "http/json";
  /** Whether headers of the W3C Trace Context are read and sent. */
  readonly propagates: boolean;
  readonly takesContent: boolean;
  /** Receives problems of the SDK, such as a collector that cannot be reached; at most one a minute. */
  readonly log: (problem: string) => void;
}

const closeMsMax = 2_000;

/** Builds the traces. The SDK reads its standard variables from the environment of the process. */
export function createOpenTelemetry(options: OpenTelemetryOptions) {
  const { clock, version, takesContent, propagates } = options;
  const log = limitedLog(clock, options.log);
  const provider = createProvider(options, log);
  const spans = new Spans(provider.getTracer("hearth", version), propagates);
  const tracing: Tracing = {
    takesContent,
    startRequest: (request) => startRequest(spans, request()),
    startRun: (run) => startRun(spans, run()),
    startCall: (call) => startCall(spans, call()),
    detached: (work) => spans.detached(work),
    headers: () => spans.headers(),
  };
  return {
    ...tracing,
    /** Exports what waits, as far as that takes two seconds. */
    async close(): Promise<void> {
      const closed = provider.shutdown().catch((thrown: unknown) => log(String(thrown)));
      await Promise.race([closed, new Promise<void>((resolve) => clock.after(closeMsMax, resolve))]);
    },
  };
}

function createProvider(
  { protocol, version }: OpenTelemetryOptions,
  log: (problem: string) => void,
): BasicTracerProvider {
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: log, warn: log, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = protocol === "http/json" ? new JsonExporter() : new ProtobufExporter();
  return new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "hearth", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
}

function startRequest(spans: Spans, request: StartedRequest): Span<EndedRequest> {
  const span = spans.start({
    name: request.method,
    kind: SpanKind.SERVER,
    parent: spans.received(request.headers),
    attributes: requestAttributes(request),
  });
  return spans.lasting(span, (ended) => {
    const { route, status } = ended;
    if (route !== null) span.updateName(`${request.method} ${route}`);
    span.setAttributes(responseAttributes(ended));
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

function startRun(spans: Spans, run: StartedRun): Span<EndedRun> {
  const span = spans.start({
    name: `${run.operation} ${run.model}`,
    kind: SpanKind.INTERNAL,
    parent: spans.current,
    attributes: runAttributes(run),
  });
  return spans.lasting(span, (ended) => {
    span.setAttributes(endAttributes(ended));
    if (ended.state === "failed") span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

function startCall(spans: Spans, call: StartedCall): Span<EndedCall> {
  const span = spans.start({
    name: `${call.operation} ${call.model}`,
    kind: SpanKind.CLIENT,
    parent: spans.current,
    attributes: callAttributes(call),
  });
  return spans.lasting(span, ({ errorKind }) => {
    if (errorKind === null) return;
    span.setAttributes({ "error.type": errorKind });
    span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

interface StartedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly parent: Context;
  readonly attributes: Attributes;
}

/** The spans of this server, and which of them code is executed in. */
class Spans {
  readonly #tracer: ReturnType<BasicTracerProvider["getTracer"]>;
  readonly #propagator: TextMapPropagator = new W3CTraceContextPropagator();
  readonly #propagates: boolean;
  readonly #storage = new AsyncLocalStorage<Context>();

  constructor(tracer: ReturnType<BasicTracerProvider["getTracer"]>, propagates: boolean) {
    this.#tracer = tracer;
    this.#propagates = propagates;
  }

  get current(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  start({ name, kind, parent, attributes }: StartedSpan): SdkSpan {
    return this.#tracer.startSpan(name, { kind, attributes }, parent);
  }

  /** Returns the context that a client has sent. */
  received(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Context {
    if (!this.#propagates) return ROOT_CONTEXT;
    return this.#propagator.extract(ROOT_CONTEXT, headers, {
      keys: (carrier: typeof headers) => Object.keys(carrier),
      get: (carrier: typeof headers, key) => {
        const value = carrier[key];
        return typeof value === "string" ? value : value?.[0];
      },
    });
  }

  /** @param describe adds to the span what is known at its end */
  lasting<End>(span: SdkSpan, describe: (end: End) => void): Span<End> {
    const context = trace.setSpan(ROOT_CONTEXT, span);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      id: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      within: (work) => this.#storage.run(context, work),
      end(end) {
        describe(end);
        span.end();
      },
    };
  }

  detached<Result>(work: () => Result): Result {
    return this.#storage.run(ROOT_CONTEXT, work);
  }

  headers(): Readonly<Record<string, string>> {
    if (!this.#propagates) return {};
    const headers: Record<string, string> = {};
    this.#propagator.inject(this.current, headers, {
      set: (carrier: Record<string, string>, key, value) => (carrier[key] = value),
    });
    return headers;
  }
}

const pauseMs = 60_000;
const problemCharsMax = 500;

/** Returns a function that reports at most one problem a minute: a collector that is away fails every few seconds. */
function limitedLog(clock: Clock, log: (problem: string) => void): (problem: string) => void {
  let nextTime = Number.NEGATIVE_INFINITY;
  return (problem) => {
    const now = clock.monotonic();
    if (now < nextTime) return;
    nextTime = now + pauseMs;
    log(problem.slice(0, problemCharsMax));
  };
}

// The attributes of spans, by OpenTelemetry's semantic conventions for HTTP servers and for generative AI, and Hearth's own. The SDK
// leaves out attributes without a value.

/** The name of this server as a provider of models. */
const provider = "hearth";
/** A user agent is the client's own text. */
const userAgentCharsMax = 200;

/** What is known of a request when its headers have arrived. Its path has ids, and URLs of images are secrets: the route stands for it. */
function requestAttributes(request: StartedRequest): Attributes {
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

function responseAttributes({ route, status, clientLeft }: EndedRequest): Attributes {
  const error = clientLeft ? "client_left" : status >= 500 ? String(status) : null;
  return {
    "http.response.status_code": status,
    "http.route": route ?? undefined,
    "url.path": route ?? undefined,
    "error.type": error ?? undefined,
  };
}

/** What is known of a run when it is admitted. */
function runAttributes(run: StartedRun): Attributes {
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
function callAttributes({ operation, provider: engine, model, host }: StartedCall): Attributes {
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": engine,
    "gen_ai.request.model": model,
    ...serverAttributes(host),
  };
}

/** What is known of a run when it is settled. */
function endAttributes(run: EndedRun): Attributes {
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
