/** What a model does in a run, as OpenTelemetry's conventions for generative AI name it. */
export type RunOperation = "chat" | "text_completion" | "embeddings" | "rerank" | "generate_content";
