/** POST /api/blobs/*digest: not served. */
import { notServed } from "../ollama/not-served.js";

/** Refuses the operation. */
export const { handler: createOllamaBlob, docs: createOllamaBlobDocs } = notServed(
  "createOllamaBlob",
  "Upload a file (not served)",
  "Put GGUF files into the folder of models.",
  { digest: "Digest of the file." },
);
