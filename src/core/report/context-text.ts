/** Returns the context of a model in words, such as `8192 of 32768 tokens` where it is shorter than what the model was trained with. */
export function contextText(contextTokens: number, trainedTokens: number | undefined): string {
  return trainedTokens === undefined || trainedTokens <= contextTokens
    ? `${contextTokens} tokens`
    : `${contextTokens} of ${trainedTokens} tokens`;
}
