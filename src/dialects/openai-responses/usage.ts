/** The usage object of a response. Pure. */
import type { z } from "zod";
import type { Model } from "../../core/model.js";
import { readCharge, type Ticks } from "../../core/money.js";
import { noUsage, type Usage } from "../../core/usage.js";
import type { responseUsageSchema } from "./response-schema.js";

type ResponseUsage = z.infer<typeof responseUsageSchema>;

/** Encodes usage, with the cost of what calls of the server ran. Output tokens include reasoning, for OpenAI and xAI alike. */
export function encodeResponseUsage(usage: Usage, model: Model): ResponseUsage {
  return toResponseUsage(usage, readCharge(usage, model.manifest.prices));
}

/** Usage of a response that never ran. */
export const zeroUsage: ResponseUsage = toResponseUsage(noUsage, 0);

function toResponseUsage(usage: Usage, costTicks: Ticks): ResponseUsage {
  const output = usage.completionTokens + usage.reasoningTokens;
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + output,
    num_sources_used: 0,
    num_server_side_tools_used: usage.serverCalls ?? 0,
    cost_in_usd_ticks: costTicks,
  };
}
