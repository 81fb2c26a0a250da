/**
 * What Hearth cannot guarantee where a server is sent texts: which weights answer; how the prompt is built; that schemas and tool calls are
 * enforced while tokens are sampled (they are validated afterwards); the numbers of tokens; that equal requests with a seed get equal
 * answers; that teams do not share evaluated prompts; the limit of the reasoning; which of several stop texts ended an answer; and what the
 * server keeps of requests and answers.
 */
export const notGuaranteedAtTextLevel = [
  "weights",
  "template",
  "constraints",
  "token-counts",
  "determinism",
  "prefix-isolation",
  "reasoning-limit",
  "stop-sequence",
  "retention",
] as const;
