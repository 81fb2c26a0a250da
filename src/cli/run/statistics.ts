/** What an answer took, as Ollama prints it. Pure. */
import type { ChatUsage } from "./chat-client.js";

/** Milliseconds on a monotonic clock. */
export interface MeasuredTimes {
  readonly startedAt: number;
  /** null: no token came. */
  readonly firstTokenAt: number | null;
  readonly endedAt: number;
  /** How long the model was loaded before this answer. */
  readonly loadMs: number;
}

/** Returns the lines. @param usage null for an answer that was stopped */
export function formatStatistics(times: MeasuredTimes, usage: ChatUsage | null): string {
  const { startedAt, firstTokenAt, endedAt, loadMs } = times;
  const promptMs = (firstTokenAt ?? endedAt) - startedAt;
  const evalMs = firstTokenAt === null ? 0 : endedAt - firstTokenAt;
  const evaluated = usage === null ? 0 : usage.promptTokens - usage.cachedTokens;
  const cached = usage === null || usage.cachedTokens === 0 ? "" : `, ${usage.cachedTokens} of them cached`;
  const rows: readonly (readonly [string, string])[] = [
    ["total duration", formatMs(loadMs + endedAt - startedAt)],
    ["load duration", formatMs(loadMs)],
    ...(usage === null
      ? []
      : ([
          ["prompt eval count", `${usage.promptTokens} token(s)${cached}`],
          ["prompt eval duration", formatMs(promptMs)],
          ["prompt eval rate", formatRate(evaluated, promptMs)],
          ["eval count", `${usage.answerTokens} token(s)`],
          ["eval duration", formatMs(evalMs)],
          // The first token came with the prompt.
          ["eval rate", formatRate(usage.answerTokens - 1, evalMs)],
        ] as const)),
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(22)}${value}\n`).join("");
}

function formatMs(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(1)}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(2)}s`;
  return `${Math.floor(seconds / 60)}m${(seconds % 60).toFixed(1)}s`;
}

function formatRate(tokens: number, ms: number): string {
  return ms <= 0 || tokens <= 0 ? "-" : `${((tokens * 1000) / ms).toFixed(2)} tokens/s`;
}
