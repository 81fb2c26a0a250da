/** Schemas of the tools of a messages request, and of the blocks that add and remove some in the course of a conversation. */
import { z } from "zod";
import { jsonObjectField, functionNameField } from "../../request-fields.js";
import { toolsetFields } from "../mcp/schema.js";

/** The parser rejects types that it does not know. */
export const messagesToolSchema = z.object({
  type: z
    .string()
    .nullish()
    .describe(
      "`custom`, `mcp_toolset`, or a type of Anthropic's: client tools are functions, server tools are left out.",
    ),
  name: functionNameField.nullish(),
  description: z.string().nullish(),
  input_schema: jsonObjectField.nullish().describe("JSON Schema of the input."),
  defer_loading: z
    .boolean()
    .nullish()
    .describe("The tool is only available once a `tool_reference` in the conversation names it."),
  ...toolsetFields,
});

const namedTool = z.object({ type: z.literal("tool_reference"), name: z.string() });
const definedTool = z.object({ type: z.literal("tool_definition"), definition: messagesToolSchema });

export const toolReferenceBlock = z.object({ type: z.literal("tool_reference"), tool_name: z.string() });
export const toolAdditionBlock = z.object({
  type: z.literal("tool_addition"),
  tool: z.discriminatedUnion("type", [namedTool, definedTool]),
});
export const toolRemovalBlock = z.object({ type: z.literal("tool_removal"), tool: namedTool });
