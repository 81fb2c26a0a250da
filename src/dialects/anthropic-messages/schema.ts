/**
 * Schema of the requests of POST /v1/messages and /v1/messages/count_tokens. `null` means absent for every optional field.
 * Other fields (service_tier, cache_control, container, ...) do not change the answer and are ignored. Fields that
 * are declared here but not supported are rejected by the parser.
 */
import { z } from "zod";
import { argumentsField, resultField } from "../call-fields.js";
import { continuationFields, prefixField } from "../generation/continuation.js";
import { formatFields } from "../generation/format-fields.js";
import { reasoningFields } from "../generation/reasoning-fields.js";
import { samplingFields } from "../generation/sampling.js";
import { labelField } from "../run-labels.js";
import { contextManagementField } from "./context-management.js";
import { mcpListingBlock, mcpResultBlock, mcpServersField, mcpUseBlock } from "./mcp/schema.js";
import {
  jsonObjectField,
  int32Max,
  optionalInteger,
  boundedArray,
  modelIdField,
  requiredInteger,
  stopSequenceField,
} from "../request-fields.js";
import {
  toolAdditionBlock,
  toolReferenceBlock,
  toolRemovalBlock,
  messagesToolSchema,
} from "./tools/schema.js";

const messagesMax = 10_000;
const blocksMax = 10_000;
const toolsMax = 1_000;
const stopsMax = 64;
/** Anthropic's minimum: Anthropic rejects a smaller budget, too. */
const budgetTokensMin = 1_024;

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const imageBlock = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: z.string(),
    }),
    z.object({
      type: z.literal("url"),
      url: z.string().describe("http(s), if the operator allows it."),
    }),
    z
      .object({ type: z.literal("file"), file_id: z.string() })
      .describe("An uploaded image of the key's team."),
  ]),
});
const documentBlock = z.object({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), data: z.string() }),
    z.object({
      type: z.literal("base64"),
      media_type: z.string().nullish().describe("`text/plain` or `application/pdf`; others are rejected."),
      data: z.string().nullish(),
    }),
    z.object({
      type: z.literal("content"),
      content: z
        .union([z.string(), boundedArray(z.discriminatedUnion("type", [textBlock, imageBlock]), blocksMax)])
        .nullish()
        .describe("Text; images are rejected."),
    }),
    z.object({ type: z.literal("url"), url: z.string() }).describe("http(s), if the operator allows it."),
    z.object({ type: z.literal("file"), file_id: z.string() }).describe("A file of the key's team."),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.object({ enabled: z.boolean().nullish() }).nullish(),
});
const searchResultBlock = z.object({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: boundedArray(textBlock, blocksMax),
});
const browserBlock = z
  .looseObject({ type: z.literal("browser_state") })
  .describe("The tabs of a browser, which the model reads as JSON.");
const resultBlocks = [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
  toolReferenceBlock,
  browserBlock,
] as const;
const resultBlock = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: resultField(
    z.union([z.string(), boundedArray(z.discriminatedUnion("type", resultBlocks), blocksMax)]),
  ).nullish(),
  is_error: z.boolean().nullish(),
});
const callBlock = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: argumentsField,
});

const texts = z.union([z.string(), boundedArray(textBlock, blocksMax)]);
/** A file for a container of Anthropic's servers. In a history it is not passed to the model; in the last turn it is rejected. */
const uploadBlock = z.object({ type: z.literal("container_upload"), file_id: z.string().nullish() });
const userBlock = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
  resultBlock,
  uploadBlock,
]);
const systemBlock = z.discriminatedUnion("type", [textBlock, toolAdditionBlock, toolRemovalBlock]);
/** Blocks of Anthropic's servers in a history. They are not passed to the model. */
const serverBlock = z.object({
  type: z.enum([
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
    "fallback",
  ]),
  content: z.unknown().optional(),
});
const compactionBlock = z
  .object({ type: z.literal("compaction"), content: z.string().nullish() })
  .describe("A summary of everything before it, which is left out.");
const assistantBlock = z.discriminatedUnion("type", [
  textBlock,
  uploadBlock,
  compactionBlock,
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.literal("redacted_thinking") }),
  callBlock,
  mcpListingBlock,
  mcpUseBlock,
  mcpResultBlock,
  serverBlock,
]);
const message = z
  .discriminatedUnion("role", [
    z.object({
      role: z.literal("system"),
      content: z.union([z.string(), boundedArray(systemBlock, blocksMax)]),
    }),
    z.object({ role: z.literal("user"), content: z.union([z.string(), boundedArray(userBlock, blocksMax)]) }),
    z.object({
      role: z.literal("assistant"),
      content: z.preprocess(
        (given) => given ?? "",
        z.union([z.string(), boundedArray(assistantBlock, blocksMax)]),
      ),
      prefix: prefixField,
    }),
  ])
  .meta({
    id: "MessageParam",
    description:
      "One message of a conversation. If the last message is the assistant's, the answer continues it.",
  });

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const toolChoice = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auto"), ...parallel }),
  z.object({ type: z.literal("any"), ...parallel }),
  z.object({ type: z.literal("tool"), name: z.string(), ...parallel }),
  z.object({ type: z.literal("none") }),
]);

const display = z
  .enum(["summarized", "omitted"])
  .nullish()
  .catch(null)
  .describe("With `omitted`, thinking blocks have no text. Other values count as absent.");
const thinking = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("enabled"),
    budget_tokens: requiredInteger(budgetTokensMin, int32Max, `must be at least ${budgetTokensMin}`),
    display,
  }),
  z.object({ type: z.literal("adaptive"), display }).describe("The model decides how much it thinks."),
  z.object({ type: z.literal("disabled") }),
]);

const outputFormat = z.object({
  type: z.literal("json_schema"),
  schema: jsonObjectField.describe("JSON Schema, drafts 4 to 2020-12."),
});

export const messagesRequestSchema = z
  .object({
    model: modelIdField,
    max_tokens: optionalInteger(-1, int32Max).describe(
      "Maximum tokens of the answer, including thinking; 0 evaluates the prompt alone, so that it is cached. Default, as with -1: limited by the context.",
    ),
    messages: boundedArray(message, messagesMax)
      .refine((messages) => messages.length > 0, "must not be empty")
      .meta({ minItems: 1, description: "The conversation so far." }),
    system: texts.nullish().describe("System prompt."),
    stop_sequences: boundedArray(stopSequenceField, stopsMax)
      .nullish()
      .describe("The answer ends before any of these sequences."),
    ...samplingFields,
    ...formatFields,
    ...continuationFields,
    ...reasoningFields,
    stream: z.boolean().nullish().describe("Whether the answer is streamed as server-sent events."),
    tools: boundedArray(messagesToolSchema, toolsMax).nullish().describe("Tools that the model may call."),
    tool_choice: toolChoice.nullish().describe("Whether the model calls a tool, and which. Default: `auto`."),
    thinking: thinking.nullish().describe("Whether the model thinks before it answers. Default: no."),
    output_config: z
      .object({
        effort: z
          .enum(["low", "medium", "high", "xhigh", "max"])
          .nullish()
          .describe("How much the model thinks with adaptive thinking."),
        format: outputFormat.nullish().describe("Format of the answer's text, enforced by a grammar."),
      })
      .nullish(),
    output_format: outputFormat.nullish().describe("The older name of `output_config.format`."),
    context_management: contextManagementField,
    metadata: z.object({ user_id: labelField }).nullish().describe("`user_id` is stored with the run."),
    mcp_servers: mcpServersField,
  })
  .meta({ id: "MessageRequest" });

export type MessagesRequestBody = z.infer<typeof messagesRequestSchema>;
export type MessageBody = MessagesRequestBody["messages"][number];
export type BlockBody =
  | Exclude<MessageBody["content"], string>[number]
  | Exclude<NonNullable<z.infer<typeof resultBlock>["content"]>, string>[number];
