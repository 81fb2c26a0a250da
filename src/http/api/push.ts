/** POST /api/push: not served. */
import { notServed } from "../ollama/not-served.js";

/** Refuses the operation. */
export const { handler: pushOllamaModel, docs: pushOllamaModelDocs } = notServed(
  "pushOllamaModel",
  "Upload a model (not served)",
  "Hearth uploads no models.",
);
