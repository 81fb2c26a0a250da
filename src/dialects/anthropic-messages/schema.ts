/**
 * The request of POST /v1/messages and of /v1/messages/count_tokens as it is on the wire. `null` means absent for every
 * optional field. Fields that are not here (metadata, service_tier, cache_control, container, ...) change nothing in the
 * answer and are dropped unread. What is here but not served is refused where it is read.
 */
import { z } from "zod";
import {
  functionName,
  int32Max,
  integer,
  list,
  modelField,
  number,
  requiredInteger,
  stopText,
} from "../bounded.js";

const messagesMax = 10_000;
const blocksMax = 10_000;
const toolsMax = 1_000;
const stopsMax = 64;
/** Anthropic's own; a smaller budget is a mistake there, and so it is here. */
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
      url: z.string().describe("http(s) only where the operator allows it."),
    }),
    z.object({ type: z.literal("file") }).describe("Not served: refused."),
  ]),
});
const documentBlock = z.object({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), data: z.string() }),
    z.object({ type: z.enum(["base64", "url", "content", "file"]) }).describe("Not served: refused."),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.object({ enabled: z.boolean().nullish() }).nullish(),
});
const resultBlock = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z
    .union([
      z.string(),
      list(z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock]), blocksMax),
    ])
    .nullish(),
  is_error: z.boolean().nullish(),
});
const callBlock = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});

const texts = z.union([z.string(), list(textBlock, blocksMax)]);
const userBlock = z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock, resultBlock]);
const assistantBlock = z.discriminatedUnion("type", [
  textBlock,
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.literal("redacted_thinking") }),
  callBlock,
]);
const message = z
  .discriminatedUnion("role", [
    z.object({ role: z.literal("system"), content: texts }),
    z.object({ role: z.literal("user"), content: z.union([z.string(), list(userBlock, blocksMax)]) }),
    z.object({
      role: z.literal("assistant"),
      content: z.union([z.string(), list(assistantBlock, blocksMax)]),
    }),
  ])
  .meta({
    id: "MessageParam",
    description: "One message of a conversation; one of the assistant at its end is continued.",
  });

/** Tools with a `type` of their own bring no schema: parsing refuses them by that type. */
const tool = z.object({
  type: z.string().nullish().describe("`custom`; others are refused."),
  name: functionName.nullish(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()).nullish().describe("JSON Schema of the input."),
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
  .describe("`omitted`: thinking blocks come without their text.");
const thinking = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("enabled"),
    budget_tokens: requiredInteger(budgetTokensMin, int32Max, `must be at least ${budgetTokensMin}`),
    display,
  }),
  z.object({ type: z.literal("adaptive"), display }).describe("As long as the model likes."),
  z.object({ type: z.literal("disabled") }),
]);

const outputFormat = z.object({
  type: z.literal("json_schema"),
  schema: z.record(z.string(), z.unknown()).describe("JSON Schema, drafts 4 to 2020-12."),
});

export const messagesRequestSchema = z
  .object({
    model: modelField,
    max_tokens: integer(1, int32Max, `must be at least 1 and at most ${int32Max}`).describe(
      "Bound on the answer, thinking included. Without it the context is the bound.",
    ),
    messages: list(message, messagesMax)
      .refine((messages) => messages.length > 0, "must not be empty")
      .meta({ minItems: 1, description: "The conversation so far." }),
    system: texts.nullish().describe("What the model is told first."),
    stop_sequences: list(stopText, stopsMax).nullish().describe("The answer ends before any of these texts."),
    stream: z.boolean().nullish().describe("Whether the answer comes as server-sent events, piece by piece."),
    temperature: number(0, 2).meta({ default: 1, description: "0 draws the likeliest token each time." }),
    top_p: number(0, 1).meta({
      default: 1,
      description: "Only the likeliest tokens that together have this probability are drawn from.",
    }),
    top_k: integer(0, int32Max).describe("Only so many of the likeliest tokens are drawn from; 0: no bound."),
    tools: list(tool, toolsMax).nullish().describe("What the model may call."),
    tool_choice: toolChoice.nullish().describe("Whether and what it calls. Without it: `auto`."),
    thinking: thinking.nullish().describe("Whether it thinks before it answers. Without it: no."),
    output_config: z
      .object({
        effort: z
          .enum(["low", "medium", "high", "xhigh", "max"])
          .nullish()
          .describe("How long adaptive thinking is."),
        format: outputFormat.nullish().describe("What the answer's text is held to by a grammar."),
      })
      .nullish(),
    output_format: outputFormat.nullish().describe("The older name of `output_config.format`."),
    mcp_servers: list(z.unknown(), toolsMax).nullish().describe("Not served: refused unless empty."),
  })
  .meta({ id: "MessageRequest" });

export type MessagesRequestBody = z.infer<typeof messagesRequestSchema>;
export type MessageBody = MessagesRequestBody["messages"][number];
export type BlockBody = Exclude<MessageBody["content"], string>[number];
