/** Spans of the requests to remote engines, which the engines can continue. */
import { HearthError } from "../../../core/errors.js";
import type { StartedCall, Tracing } from "../../../core/telemetry/tracing.js";
import { readHost } from "../errors.js";
import type { RemoteKind } from "../protocol.js";

/** The part of the port that remote engines need. */
export type CallTracing = Tracing;

interface CallTarget {
  readonly kind: RemoteKind;
  readonly modelName: string;
  readonly url: string;
}

/** Begins the span of a request, within the span of the run that it is for. */
export function traceCall(
  tracing: CallTracing,
  operation: StartedCall["operation"],
  { kind, modelName, url }: CallTarget,
) {
  const span = tracing.startCall(() => ({
    operation,
    provider: kind,
    model: modelName,
    host: readHost(url),
  }));
  return {
    /** Name the span to the engine. */
    headers: span.within(() => tracing.headers()),
    /** @param thrown what the request failed with; undefined: nothing, or its client has left */
    end(thrown?: unknown): void {
      const kindOfError = thrown instanceof HearthError ? thrown.kind : "internal";
      span.end({ errorKind: thrown === undefined ? null : kindOfError });
    },
  };
}
