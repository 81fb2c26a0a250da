/** POST /api/copy: not served. */
import { notServed } from "../ollama/not-served.js";

/** Refuses the operation. */
export const { handler: copyOllamaModel, docs: copyOllamaModelDocs } = notServed(
  "copyOllamaModel",
  "Copy a model (not served)",
  "Give a model another name with `hearth alias NAME MODEL` or the setting `aliases`.",
);
