/**
 * Writes the content blocks of a streamed answer. Each block ends before the next one starts. White space alone does not start
 * a text block, because Anthropic's API rejects such blocks in later requests. Pure.
 */
import type { McpTool } from "../../core/tools/mcp-servers.js";
import type { McpToolName } from "./mcp/tools.js";
import type { BlockDelta, Citation, ContentBlock, MessageEvent } from "./response-schema.js";

/** Placeholder for the signature of a hosted service. It is not verified when a client sends it back. */
const signature = "aGVhcnRo";

export class BlockWriter {
  #index = -1;
  #open: ContentBlock["type"] | null = null;
  /** White space that is held back until other text follows. */
  #space = "";
  /** Whether the open text block has citations: text that follows it belongs to another one. */
  #isCited = false;

  /** Adds text of the answer. */
  text(text: string): readonly MessageEvent[] {
    if (this.#isCited) return this.#textAfterCitation(text);
    if (this.#open === "text") return text === "" ? [] : [this.#delta({ type: "text_delta", text })];
    const pending = this.#space + text;
    if (pending.trim() === "") {
      this.#space = pending;
      return [];
    }
    return [
      ...this.#startBlock({ type: "text", text: "" }),
      this.#delta({ type: "text_delta", text: pending }),
    ];
  }

  /** Adds citations to the text since the last ones; without a text there is nothing to cite. */
  citations(citations: readonly Citation[]): readonly MessageEvent[] {
    if (this.#open !== "text" || citations.length === 0) return [];
    this.#isCited = true;
    return citations.map((citation) => this.#delta({ type: "citations_delta", citation }));
  }

  /** The punctuation behind a citation ends its text; other text starts a block. */
  #textAfterCitation(text: string): readonly MessageEvent[] {
    const [end = ""] = /^[.,;:!?)]*/.exec(text) ?? [];
    const ended = end === "" ? [] : [this.#delta({ type: "text_delta", text: end })];
    if (end === text) return ended;
    return [...ended, ...this.close(), ...this.text(text.slice(end.length))];
  }

  /** Adds thinking; null starts a block without its text. */
  thinking(thinking: string | null): readonly MessageEvent[] {
    if (thinking === "") return [];
    const started =
      this.#open === "thinking" ? [] : this.#startBlock({ type: "thinking", thinking: "", signature: "" });
    return thinking === null ? started : [...started, this.#delta({ type: "thinking_delta", thinking })];
  }

  /** Starts a tool call. */
  call(id: string, name: string): readonly MessageEvent[] {
    return this.#startBlock({ type: "tool_use", id, name, input: {}, caller: { type: "direct" } });
  }

  /** Adds the tools of an MCP server, as a whole block. */
  mcpListing(server: string, tools: readonly McpTool[]): readonly MessageEvent[] {
    const listed = tools.map(({ name, description, inputSchema: input_schema }) => ({
      name,
      description,
      input_schema,
    }));
    return [
      ...this.#startBlock({ type: "mcp_tool_listing", mcp_server_name: server, tools: listed }),
      ...this.close(),
    ];
  }

  /** Starts a call of a tool of an MCP server. */
  mcpCall(id: string, { server, name }: McpToolName): readonly MessageEvent[] {
    return this.#startBlock({ type: "mcp_tool_use", id, name, server_name: server, input: {} });
  }

  /** Adds the result of such a call, as a whole block. */
  mcpResult(id: string, text: string, isError: boolean): readonly MessageEvent[] {
    const content = text === "" ? [] : [{ type: "text" as const, text }];
    return [
      ...this.#startBlock({ type: "mcp_tool_result", tool_use_id: id, is_error: isError, content }),
      ...this.close(),
    ];
  }

  /** Adds a part of the JSON of the tool call's arguments. */
  argument(json: string): readonly MessageEvent[] {
    return json === "" ? [] : [this.#delta({ type: "input_json_delta", partial_json: json })];
  }

  /** Ends the open block, if any. */
  close(): readonly MessageEvent[] {
    const open = this.#open;
    this.#open = null;
    this.#space = "";
    this.#isCited = false;
    if (open === null) return [];
    const stop: MessageEvent = { type: "content_block_stop", index: this.#index };
    return open === "thinking" ? [this.#delta({ type: "signature_delta", signature }), stop] : [stop];
  }

  #startBlock(block: ContentBlock): readonly MessageEvent[] {
    const closed = this.close();
    this.#index += 1;
    this.#open = block.type;
    return [...closed, { type: "content_block_start", index: this.#index, content_block: block }];
  }

  #delta(delta: BlockDelta): MessageEvent {
    return { type: "content_block_delta", index: this.#index, delta };
  }
}
