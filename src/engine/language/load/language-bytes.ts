/** A larger file has weights, too, which are not loaded. */
const vocabularyBytesMax = 67_108_864;

/** Returns the memory that the vocabulary and the template of a model take, at most. @param fileBytes of its file */
export function languageBytes(fileBytes: number): number {
  return Math.min(fileBytes, vocabularyBytesMax);
}
