/** Histograms of runs by the names, units and buckets of OpenTelemetry's conventions for generative AI, in Prometheus' form. */
import { Histogram, type Registry } from "prom-client";
import type { FinishedRun } from "../../core/metrics.js";

/** Which labels of accounts metrics of runs have. */
export interface AccountLabels {
  readonly metricsLabels: "none" | "team" | "key";
  /** Teams, or keys, that have labels of their own; the others share `other`. */
  readonly metricsLabelsMax: number;
}

const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const perTokenBuckets = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
/** Powers of four. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

const runLabels = [
  "gen_ai_operation_name",
  "gen_ai_provider_name",
  "gen_ai_request_model",
  "gen_ai_response_model",
];

/** Registers the histograms. @returns a function that counts a run */
export function observeGenAi(registry: Registry, labels: AccountLabels): (run: FinishedRun) => void {
  const accountNames = { none: [], team: ["team_id"], key: ["team_id", "api_key_id"] }[labels.metricsLabels];
  const names = [...runLabels, ...accountNames];
  const histogram = (name: string, help: string, buckets: number[], more: readonly string[] = []) =>
    new Histogram({ name, help, labelNames: [...names, ...more], buckets, registers: [registry] });
  const duration = histogram(
    "gen_ai_server_request_duration_seconds",
    "Time from an accepted request to the end of its answer.",
    durationBuckets,
    ["error_type"],
  );
  const firstToken = histogram(
    "gen_ai_server_time_to_first_token_seconds",
    "Time from an accepted request to the first token of its answer.",
    firstTokenBuckets,
  );
  const perToken = histogram(
    "gen_ai_server_time_per_output_token_seconds",
    "Time of each token of an answer after the first.",
    perTokenBuckets,
  );
  const tokens = histogram(
    "gen_ai_client_token_usage",
    "Tokens of one run: input includes cached ones, output includes reasoning.",
    tokenBuckets,
    ["gen_ai_token_type"],
  );
  const readLabels = accountLabels(labels);
  return (run) => {
    const { model, operation, state, errorKind, usage, ttftMs, decodeTps } = run;
    const common = {
      gen_ai_operation_name: operation,
      gen_ai_provider_name: "hearth",
      // The client's name of the model would be a label of the client's choice.
      gen_ai_request_model: model,
      gen_ai_response_model: model,
      ...readLabels(run),
    };
    const errorType = errorKind ?? (state === "completed" ? "" : state);
    duration.observe({ ...common, error_type: errorType }, run.durationMs / 1000);
    if (ttftMs !== null) firstToken.observe(common, ttftMs / 1000);
    if (decodeTps !== null && decodeTps > 0) perToken.observe(common, 1 / decodeTps);
    tokens.observe({ ...common, gen_ai_token_type: "input" }, usage.promptTokens);
    const output = usage.completionTokens + usage.reasoningTokens;
    if (output > 0) tokens.observe({ ...common, gen_ai_token_type: "output" }, output);
  };
}

function accountLabels({
  metricsLabels,
  metricsLabelsMax,
}: AccountLabels): (run: FinishedRun) => Readonly<Record<string, string>> {
  const bounded = boundedLabel(metricsLabelsMax);
  switch (metricsLabels) {
    case "none":
      return () => ({});
    case "team":
      return ({ teamId }) => ({ team_id: bounded(teamId) });
    case "key":
      // A key that has no label of its own gives its team none either: each key would still add a series.
      return ({ teamId, apiKeyId }) => {
        const key = bounded(apiKeyId);
        return { team_id: key === apiKeyId ? teamId : key, api_key_id: key };
      };
  }
}

/** Returns a function that returns each of the first values unchanged, and `other` for further ones. */
function boundedLabel(valuesMax: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= valuesMax) return "other";
    known.add(value);
    return value;
  };
}
