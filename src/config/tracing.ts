/**
 * What the standard variables of OpenTelemetry say of the export of traces. Its SDK reads the others itself: headers, time limits, the
 * sampler, the queue, and what describes the server.
 */

export type TraceExport =
  | { readonly state: "off" }
  /** Traces are wanted, and cannot be exported as the variables say. */
  | { readonly state: "refused"; readonly reason: string }
  | {
      readonly state: "on";
      readonly protocol: "http/protobuf" | "http/json";
      /** Whether headers of the W3C Trace Context are read and sent. */
      readonly propagates: boolean;
    };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables. They never keep the server from starting, as OpenTelemetry specifies: what they have wrong is a reason in the log. */
export function readTraceExport(environment: Environment): TraceExport {
  if (read(environment, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return { state: "off" };
  const [endpointName, endpoint] = findFirst(environment, [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
  ]);
  const exporter = read(environment, "OTEL_TRACES_EXPORTER") ?? (endpoint === null ? "none" : "otlp");
  if (exporter === "none") return { state: "off" };
  if (exporter !== "otlp")
    return refused(`OTEL_TRACES_EXPORTER: '${exporter}' is not supported; otlp and none are`);
  if (endpoint !== null && !isHttpUrl(endpoint))
    return refused(`${endpointName}: it must be an http or https URL`);
  const [protocolName, protocol] = findFirst(environment, [
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
  ]);
  if (protocol !== null && protocol !== "http/protobuf" && protocol !== "http/json")
    return refused(`${protocolName}: '${protocol}' is not supported; http/protobuf and http/json are`);
  const propagators = (read(environment, "OTEL_PROPAGATORS") ?? "tracecontext").split(",");
  return {
    state: "on",
    protocol: protocol ?? "http/protobuf",
    propagates: propagators.some((name) => name.trim() === "tracecontext"),
  };
}

function refused(reason: string): TraceExport {
  return { state: "refused", reason };
}

function findFirst(environment: Environment, names: readonly string[]): readonly [string, string | null] {
  const found = names.find((name) => read(environment, name) !== undefined) ?? "";
  return [found, read(environment, found) ?? null];
}

/** An empty variable is as one that is not set. */
function read(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
