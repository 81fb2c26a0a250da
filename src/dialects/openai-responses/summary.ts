/** How a conversation is summarized. */

export const summaryTokensMax = 2_048;

export const summaryInstruction =
  "Summarise our conversation up to here, so that it can go on from your summary alone. Keep what was asked for, what was " +
  "decided, facts, names and numbers, results of tools, and what is still to be done. Answer with the summary only.";
