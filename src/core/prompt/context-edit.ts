/** Edits of a conversation before it is answered, which make its prompt shorter. */

/** Replaces the results of older tool calls, once the prompt has become long. */
export interface ClearToolUses {
  readonly type: "clear-tool-uses";
  /** It is applied to a prompt that has more than so many tokens, or a conversation that has more than so many calls. */
  readonly trigger: { readonly type: "input-tokens" | "tool-uses"; readonly value: number };
  /** The newest calls, which stay. */
  readonly keep: number;
  /** It is applied only if at least so many tokens are cleared. */
  readonly clearAtLeast: number;
  /** Names of tools whose calls stay. */
  readonly excludedTools: readonly string[];
  /** Names of tools whose arguments are cleared, too; `all`: of every tool. */
  readonly clearedInputs: readonly string[] | "all";
}

/** Removes the reasoning of older turns. */
export interface ClearThinking {
  readonly type: "clear-thinking";
  /** The newest turns with reasoning, which keep it; `all`: every turn does. */
  readonly keep: number | "all";
}

export type ContextEdit = ClearToolUses | ClearThinking;

/** An edit that has changed the conversation. */
export interface AppliedEdit {
  readonly type: ContextEdit["type"];
  /** The calls, or the turns, that were cleared. */
  readonly cleared: number;
  /** Tokens of what was removed, less the tokens of what stands in its place. */
  readonly clearedTokens: number;
}
