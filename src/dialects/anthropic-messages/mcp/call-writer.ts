import type { ToolCallStart } from "../../../core/generation.js";
import type { ServerCallEnd } from "../../../core/tools/server-call.js";
import type { BlockWriter } from "../blocks.js";
import type { MessageEvent } from "../response-schema.js";
import type { McpToolNames } from "./tools.js";

/** Writes the blocks of calls of the client's tools, and of calls of MCP servers with their results. */
export class CallWriter {
  readonly #blocks: BlockWriter;
  readonly #tools: McpToolNames;
  /** Ids of the calls that the server executes, by their index in the answer. */
  readonly #executed = new Map<number, string>();
  #areTheClients = false;

  constructor(blocks: BlockWriter, tools: McpToolNames) {
    this.#blocks = blocks;
    this.#tools = tools;
  }

  /** Whether the client must execute calls of the answer. */
  get areTheClients(): boolean {
    return this.#areTheClients;
  }

  start({ index, id, name }: ToolCallStart): readonly MessageEvent[] {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      this.#areTheClients = true;
      return this.#blocks.call(id.replace(/^call_/, "toolu_"), name);
    }
    const blockId = id.replace(/^call_/, "mcptoolu_");
    this.#executed.set(index, blockId);
    return this.#blocks.mcpCall(blockId, tool);
  }

  result({ index, result: { content, shown = content, failed } }: ServerCallEnd): readonly MessageEvent[] {
    return this.#blocks.mcpResult(this.#executed.get(index) ?? "", shown, failed);
  }
}
