/** Helpers for tests of conversations: the official client, and the texts of items. */
import OpenAI from "openai";
import { keys } from "../server/six-keys.js";

/** Builds an official client that does not retry. */
export function openaiClient(url: string, apiKey: string = keys.ada): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

export const model = "ember-1m";

/** Returns a message of the user. */
export function said(text: string): { readonly role: "user"; readonly content: string } {
  return { role: "user", content: text };
}

/** Returns the first text of each item. */
export function textsOf(items: readonly unknown[]): readonly string[] {
  return items.map((item) => {
    const { content = [], output } = item as { content?: readonly { text?: string }[]; output?: string };
    return content[0]?.text ?? output ?? "";
  });
}

/** Returns all items of a conversation, the oldest first. */
export async function itemsOf(
  client: OpenAI,
  id: string,
): Promise<readonly OpenAI.Conversations.ConversationItem[]> {
  const items = [];
  for await (const item of client.conversations.items.list(id, { order: "asc", limit: 100 }))
    items.push(item);
  return items;
}
