/** Architectures of llama.cpp that read a text in both directions: they cannot generate, and read an input in one piece. */
const encoders: ReadonlySet<string> = new Set([
  "bert",
  "eurobert",
  "gemma-embedding",
  "jina-bert-v2",
  "jina-bert-v3",
  "llama-embed",
  "modern-bert",
  "neo-bert",
  "nomic-bert",
  "nomic-bert-moe",
  "t5encoder",
]);

/** Whether a model of this `general.architecture` only reads. */
export function isEncoder(architecture: string): boolean {
  return encoders.has(architecture);
}
