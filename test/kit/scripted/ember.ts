import type { Model } from "../../../src/core/model.js";

/** A model without a file: 20 ticks for a prompt or sampled token, 5 for a cached one. */
export const ember: Model = {
  manifest: {
    id: "ember-1m",
    aliases: ["ember"],
    kind: "chat",
    name: "Ember 1M",
    family: "qwen3",
    version: "1.0.0",
    file: "ember.gguf",
    bytes: 1,
    sha256: null,
    contextTokens: 512,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: { reasoning: true, tools: false, structuredOutputs: false },
    prices: { promptTextTokenTicks: 20, cachedPromptTextTokenTicks: 5, completionTextTokenTicks: 20 },
    license: "Apache-2.0",
    created: 1795000000,
    madeBy: "test",
  },
  path: "/nowhere/ember.gguf",
  unusable: null,
  kvBytesPerToken: 0,
  fingerprint: "fp_7d20c4e1ab",
};
