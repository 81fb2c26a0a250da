/** Settings of the MCP servers that requests may name. */
import { z } from "zod";
import { list, whole } from "./values.js";

export const mcpSettings = {
  /**
   * Hosts of MCP servers that requests may name: names, `*.domain`, or `*` for any public address, with `:port` when it is not the
   * scheme's default. An address that is not public must be in the list itself. `off`: none.
   */
  mcpHosts: z.union([z.literal("off").transform((): string[] => []), list]).default([]),
  /** MCP servers that one request may name. */
  mcpServersMax: whole(1, 100).default(16),
  /** Tools that one of them may list. */
  mcpToolsMax: whole(1, 10_000).default(256),
  /** Time in which one of them must have listed its tools, and in which it must have answered each call. */
  mcpTimeoutMs: whole(1, 600_000).default(60_000),
  /** Largest result of a call. */
  mcpResultBytesMax: whole(1024, 16_777_216).default(1_048_576),
} as const;
