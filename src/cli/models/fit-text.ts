/** Puts into words whether a model fits into memory. */
import type { FitReport, MemoryReport } from "../../doctor/model-fit.js";
import { sizeText } from "../../core/report/size-text.js";

/** A line of a report: what it is about, and the rest. */
export type ReportRow = readonly [name: string, text: string];

export function fitRows(report: FitReport): readonly ReportRow[] {
  const { neededBytes, weightsBytes, cacheBytes, contextTokens, trainedTokens } = report;
  const cache = cacheBytes === 0 ? "" : `, context ${sizeText(cacheBytes)}`;
  const trained =
    trainedTokens !== null && trainedTokens > contextTokens ? ` (trained with ${trainedTokens})` : "";
  const context: ReportRow = ["context", `${contextTokens} tokens${trained}`];
  const rows: ReportRow[] = [
    ["verdict", report.isInMemory ? `${report.verdict}; it is in memory now` : report.verdict],
    ...(cacheBytes === 0 ? [] : [context]),
    ["needs", `about ${sizeText(neededBytes)}: weights ${sizeText(weightsBytes)}${cache}, buffers`],
    ["available", availableText(report.memory)],
  ];
  const { gpu } = report.memory;
  if (gpu !== null)
    rows.push([gpu.device, `${sizeText(gpu.freeBytes)} of ${sizeText(gpu.totalBytes)} are free`]);
  if (report.placed !== null && gpu !== null) {
    const { mainBytes, gpuBytes } = report.placed;
    rows.push(["placed", `${sizeText(mainBytes)} in main memory, ${sizeText(gpuBytes)} on ${gpu.device}`]);
  }
  const remedies = describeRemedies(report);
  if (remedies !== null) rows.push(["would fit", remedies]);
  if (report.tokensPerSecond !== null)
    rows.push(["speed", speedText(report.tokensPerSecond, report.bandwidth)]);
  return rows;
}

function availableText(memory: MemoryReport): string {
  const { availableBytes, limitBytes, freeBytes, idleModelBytes, usedModelBytes } = memory;
  const parts = [
    `${sizeText(freeBytes)} are free`,
    `models may take ${sizeText(limitBytes)} (memoryBytesMax)`,
    ...(idleModelBytes > 0 ? [`idle models would leave ${sizeText(idleModelBytes)}`] : []),
    ...(usedModelBytes > 0 ? [`models in use have ${sizeText(usedModelBytes)}`] : []),
  ];
  return `${sizeText(availableBytes)}: ${parts.join(", ")}`;
}

/** Returns what would make the model fit; null if it does. */
function describeRemedies(report: FitReport): string | null {
  const { verdict, contextTokens, fittingTokens, fittingTokensSmallCache: small, cacheBytes } = report;
  if (verdict === "fits") return null;
  const ways = [
    ...(fittingTokens === null ? [] : [`context=${fittingTokens}`]),
    ...(small === null || cacheBytes === 0 || small === fittingTokens
      ? []
      : [`kvCache=q8_0${small === contextTokens ? "" : ` and context=${small}`}`]),
  ];
  if (ways.length > 0) return `with ${ways.join(", or ")} (hearth set)`;
  return "on a machine with more memory, when other programs leave memory, or as a smaller quantization";
}

function speedText(tokensPerSecond: number, bandwidth: number | null): string {
  const speed = tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : String(Math.round(tokensPerSecond));
  const measured = bandwidth === null ? "" : ` (memory is read at ${(bandwidth / 1e9).toFixed(1)} GB/s)`;
  return `about ${speed} tokens a second${measured}`;
}
