import { expect, it } from "vitest";
import type { z } from "zod";
import { messagesRequestSchema } from "../../src/dialects/anthropic-messages/schema.js";
import { ollamaChatRequestSchema } from "../../src/dialects/ollama/chat/schema.js";
import { ollamaEmbedRequestSchema } from "../../src/dialects/ollama/embed/schema.js";
import { ollamaGenerateRequestSchema } from "../../src/dialects/ollama/generate/schema.js";
import { chatRequestSchema } from "../../src/dialects/openai-chat/schema.js";
import { completionRequestSchema } from "../../src/dialects/openai-completions/schema.js";
import { embeddingRequestSchema } from "../../src/dialects/openai-embeddings/schema.js";
import { imageRequestSchema } from "../../src/dialects/openai-images/schema.js";
import { responsesRequestSchema } from "../../src/dialects/openai-responses/schema.js";
import type { DeclaredType } from "../kit/clients/declared-types.js";
import { readSamples } from "../kit/clients/type-samples.js";

/** A request as a package declares it, and as the server reads it. */
interface Compared extends DeclaredType {
  readonly schema: z.ZodObject;
  /** Members that the server does not read, because they do not change its answer. */
  readonly ignored: readonly string[];
  /** Beginnings of the paths that the schema refuses, each with what it is. */
  readonly refused: Readonly<Record<string, string>>;
}

/** Returns the refusals of blocks that another role writes. @param at the path of a block */
function ofOtherRole(at: string, blocks: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(blocks.map((block) => [`${at}(${block})`, "a block of the other role"]));
}

const assistantBlocks = [
  "thinking",
  "redacted_thinking",
  "tool_use",
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
];
const userBlocks = ["image", "document", "search_result", "tool_result"];

const compared: readonly Compared[] = [
  {
    from: "openai/resources/chat/completions",
    name: "ChatCompletionCreateParamsNonStreaming",
    schema: chatRequestSchema,
    ignored: [
      "audio",
      "moderation",
      "prediction",
      "prompt_cache_options",
      "prompt_cache_retention",
      "verbosity",
      "web_search_options",
    ],
    refused: { "tool_choice(allowed_tools)": "the sample has no name of a tool" },
  },
  {
    from: "openai/resources/completions",
    name: "CompletionCreateParamsNonStreaming",
    schema: completionRequestSchema,
    ignored: [],
    refused: { "prompt(null)": "there is no default prompt" },
  },
  {
    from: "openai/resources/responses/responses",
    name: "ResponseCreateParamsNonStreaming",
    schema: responsesRequestSchema,
    ignored: ["moderation", "prompt_cache_options", "prompt_cache_retention", "stream_options"],
    refused: {
      context_management: "the sample has no known type",
      "input(ResponseInput).0(compaction_trigger)": "an item of the WebSocket of the hosted service",
      "tool_choice(allowed_tools)": "the sample has no known type",
      'tool_choice(ToolChoiceTypes).type("mcp")': "a choice without the server",
      "tools(Tool[]).0(image_generation).size": "the sample is no size",
    },
  },
  {
    from: "openai/resources/embeddings",
    name: "EmbeddingCreateParams",
    schema: embeddingRequestSchema,
    ignored: [],
    refused: {},
  },
  {
    from: "openai/resources/images",
    name: "ImageGenerateParamsNonStreaming",
    schema: imageRequestSchema,
    ignored: ["style"],
    refused: { size: "the sample is no size" },
  },
  {
    from: "@anthropic-ai/sdk/resources/messages/messages",
    name: "MessageCreateParamsNonStreaming",
    schema: messagesRequestSchema,
    ignored: [
      "cache_control",
      "container",
      "diagnostics",
      "inference_geo",
      "service_tier",
      "speed",
      "user_profile_id",
      "workspace_id",
    ],
    refused: {
      ...ofOtherRole("messages.0(user).content(ContentBlockParam[]).0", assistantBlocks),
      ...ofOtherRole("messages.0(assistant).content(ContentBlockParam[]).0", userBlocks),
      thinking: "the sample is below the minimum",
    },
  },
  {
    from: "@anthropic-ai/sdk/resources/beta/messages/messages",
    name: "MessageCreateParamsNonStreaming",
    schema: messagesRequestSchema,
    ignored: [
      "billing_policy",
      "cache_control",
      "compaction",
      "container",
      "diagnostics",
      "fallback_credit_token",
      "fallbacks",
      "inference_geo",
      "service_tier",
      "speed",
      "thread",
      "betas",
      "user_profile_id",
      "workspace_id",
    ],
    refused: {
      ...ofOtherRole("messages.0(user).content(BetaContentBlockParam[]).0", [
        ...assistantBlocks,
        "advisor_tool_result",
        "mcp_tool_use",
        "mcp_tool_result",
        "compaction",
        "tool_addition",
        "tool_removal",
        "mcp_tool_listing",
        "fallback",
      ]),
      ...ofOtherRole("messages.0(assistant).content(BetaContentBlockParam[]).0", [
        ...userBlocks,
        "tool_addition",
        "tool_removal",
      ]),
      "messages.0(system)": "of the blocks, those of tools alone",
      thinking: "the sample is below the minimum",
    },
  },
  {
    from: "ollama",
    name: "ChatRequest",
    schema: ollamaChatRequestSchema,
    ignored: [],
    refused: { messages: "the sample has no known role", tools: "the sample has no known type" },
  },
  {
    from: "ollama",
    name: "GenerateRequest",
    schema: ollamaGenerateRequestSchema,
    ignored: ["steps"],
    refused: { "images(Uint8Array<ArrayBufferLike>[])": "the package sends base64" },
  },
  {
    from: "ollama",
    name: "EmbedRequest",
    schema: ollamaEmbedRequestSchema,
    ignored: ["options"],
    refused: {},
  },
];

const types = readSamples(compared);

it.each(compared.map((each, index) => ({ ...each, type: types[index] })))(
  "takes each value, null and absent member that $from declares of $name, or says which not",
  ({ schema, ignored, refused, type }) => {
    const unread = (type?.members ?? []).filter((name) => !(name in schema.shape) && !ignored.includes(name));
    const failing = (type?.samples ?? []).filter(
      ({ value }) => !schema.safeParse({ model: "model", ...(value as object) }).success,
    );
    const unknown = failing.filter(
      ({ path }) => !Object.keys(refused).some((start) => path.startsWith(start)),
    );
    const stale = Object.keys(refused).filter((start) => !failing.some(({ path }) => path.startsWith(start)));
    expect({ unread, refused: unknown.map(({ path }) => path), stale }).toEqual({
      unread: [],
      refused: [],
      stale: [],
    });
    expect(type?.samples.length).toBeGreaterThan(3);
  },
);
