/** POST /api/create: not served. */
import { notServed } from "../ollama/not-served.js";

/** Refuses the operation. */
export const { handler: createOllamaModel, docs: createOllamaModelDocs } = notServed(
  "createOllamaModel",
  "Create a model (not served)",
  "Put a GGUF file into the folder of models, and set its template, system message and sampling with `hearth set`.",
);
