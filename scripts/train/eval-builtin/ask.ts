import OpenAI, { type APIError } from "openai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import { gradeItem, type Answer } from "./grade.js";
import type { Item } from "./items.js";

/** The token limit of an answer, several times what any item needs. */
const answerTokensMax = 512;

/**
 * The outcome of one item: `not-served` is a feature that the server rejects by name, `failed` lists what is
 * wrong.
 */
export interface Outcome {
  readonly item: Item;
  readonly state: "passed" | "failed" | "not-served";
  readonly lacks: readonly string[];
  readonly answer: Answer | null;
  /** Sampled tokens, including reasoning. */
  readonly tokens: number;
  readonly seconds: number;
}

/** Sends every item, `concurrency` at a time. @throws the client's error if the server becomes unreachable */
export async function askAll(
  client: OpenAI,
  model: string,
  items: readonly Item[],
  concurrency: number,
  onOutcome: () => void,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      outcomes[index] = await ask(client, model, item);
      onOutcome();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return outcomes;
}

async function ask(client: OpenAI, model: string, item: Item): Promise<Outcome> {
  const started = performance.now();
  try {
    const completion = await client.chat.completions.create(createRequest(model, item));
    const choice = completion.choices[0];
    if (choice === undefined) return outcome(item, { lacks: ["has no choice"] });
    const answer: Answer = {
      content: choice.message.content ?? "",
      reasoning: readReasoning(choice.message),
      finishReason: choice.finish_reason,
      toolCalls: (choice.message.tool_calls ?? []).flatMap((call) =>
        call.type === "function" ? [call.function] : [],
      ),
    };
    const { usage } = completion;
    // Services differ on whether completion_tokens includes reasoning; the difference of these two numbers
    // does not.
    const tokens = usage === undefined ? 0 : usage.total_tokens - usage.prompt_tokens;
    const seconds = (performance.now() - started) / 1000;
    return outcome(item, { answer, lacks: gradeItem(answer, item), tokens, seconds });
  } catch (thrown) {
    if (thrown instanceof OpenAI.APIConnectionError || !(thrown instanceof OpenAI.APIError)) throw thrown;
    if (isNotServed(thrown as RefusedError, item)) return outcome(item, { state: "not-served" });
    return outcome(item, { lacks: [`was refused: ${thrown.message}`] });
  }
}

function outcome(item: Item, told: Partial<Outcome>): Outcome {
  const state = (told.lacks ?? []).length === 0 ? "passed" : "failed";
  return { item, state, lacks: [], answer: null, tokens: 0, seconds: 0, ...told };
}

type ResponseFormat = NonNullable<ChatCompletionCreateParamsNonStreaming["response_format"]>;

/** The items come from a file and test the server, so their shape is not validated here. */
function createRequest(model: string, item: Item): ChatCompletionCreateParamsNonStreaming {
  return {
    model,
    messages: item.messages as unknown as ChatCompletionCreateParamsNonStreaming["messages"],
    ...(item.tools === undefined
      ? {}
      : { tools: item.tools as unknown as NonNullable<ChatCompletionCreateParamsNonStreaming["tools"]> }),
    ...(item.response_format === undefined
      ? {}
      : { response_format: item.response_format as unknown as ResponseFormat }),
    temperature: 0,
    max_completion_tokens: answerTokensMax,
    reasoning_effort: item.reasoning ? "low" : "none",
  };
}

type RefusedError = Pick<APIError, "status" | "message" | "param">;

function isNotServed(error: RefusedError, item: Item): boolean {
  const usesTools =
    item.tools !== undefined ||
    item.messages.some((message) => "tool_calls" in message || message.role === "tool");
  return error.status === 400 && usesTools && /tool/i.test(`${error.param ?? ""} ${error.message}`);
}

function readReasoning(message: object): string {
  const reasoning = "reasoning_content" in message ? message.reasoning_content : null;
  return typeof reasoning === "string" ? reasoning : "";
}
