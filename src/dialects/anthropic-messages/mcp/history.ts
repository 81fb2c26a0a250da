/** Calls of MCP servers' tools in the turns of the assistant: the results are among its blocks. Pure. */
import type { z } from "zod";
import type { Message } from "../../../core/generation.js";
import { mcpToolName } from "../../mcp-tools.js";
import { wellFormed } from "../../well-formed.js";
import type { LocatedBlock } from "../located-block.js";
import type { mcpResultBlock, mcpUseBlock } from "./schema.js";
import type { McpToolNames } from "./tools.js";

type McpUseBody = z.infer<typeof mcpUseBlock>;

type McpResultBody = z.infer<typeof mcpResultBlock>;

/** Blocks of one message of the model, and the results that follow it. */
interface AssistantPart {
  readonly blocks: readonly LocatedBlock[];
  readonly results: readonly Message[];
}

/** Splits a turn where results end; there is at least one part. Calls without a result, and results without a call, are left out. */
export function splitAtResults(blocks: readonly LocatedBlock[]): readonly AssistantPart[] {
  const answered = new Set(
    blocks.flatMap(({ block }) => (block.type === "mcp_tool_result" ? [block.tool_use_id] : [])),
  );
  const called = new Set<string>();
  const parts: { readonly blocks: LocatedBlock[]; readonly results: Message[] }[] = [];
  let part = { blocks: [] as LocatedBlock[], results: [] as Message[] };
  parts.push(part);
  for (const located of blocks) {
    const { block } = located;
    if (block.type === "mcp_tool_result") {
      if (called.delete(block.tool_use_id)) part.results.push(resultMessage(block));
      continue;
    }
    if (block.type === "mcp_tool_use") {
      if (!answered.has(block.id)) continue;
      called.add(block.id);
    }
    if (part.results.length > 0) {
      part = { blocks: [], results: [] };
      parts.push(part);
    }
    part.blocks.push(located);
  }
  return parts;
}

/** Returns how many blocks of a turn there are up to the last result; 0 if there is none. */
export function blocksToLastResult(blocks: readonly LocatedBlock[]): number {
  return blocks.findLastIndex(({ block }) => block.type === "mcp_tool_result") + 1;
}

/** Returns the name by which the model knows the tool of a call. */
export function calledName({ server_name: server, name }: McpUseBody, names: McpToolNames): string {
  const known = [...names].find(([, tool]) => tool.server === server && tool.name === name);
  return known?.[0] ?? wellFormed(mcpToolName(server, name));
}

function resultMessage({ tool_use_id: id, content, is_error: isError }: McpResultBody): Message {
  const text =
    typeof content === "string" ? content : (content ?? []).map((block) => block.text).join("\n\n");
  const failed = isError === true && !text.startsWith("Error: ");
  return { role: "tool", content: wellFormed(failed ? `Error: ${text}` : text), toolCallId: wellFormed(id) };
}
