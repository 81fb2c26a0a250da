import type { GenerationRequest } from "../../core/generation.js";

/** A request of Ollama's interface that generates text. */
export interface OllamaRequest {
  /** null: there is nothing to answer, and the model is only loaded or unloaded. */
  readonly request: GenerationRequest | null;
  /** The model as the request names it. */
  readonly model: string;
  readonly stream: boolean;
  readonly keepAliveMs: number | undefined;
}
