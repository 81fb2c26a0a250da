/** The errors of conversations. Those of a limit name its setting. */
import { HearthError } from "../../core/errors.js";
import type { ConversationLimits } from "./conversation.js";

/** The same for one that does not exist and one of another team. */
export function noSuchConversation(id: string): HearthError {
  return new HearthError("not_found", `Conversation with id '${id.slice(0, 200)}' not found.`, {
    param: "conversation_id",
  });
}

export function noSuchItem(id: string): HearthError {
  return new HearthError("not_found", `Item with id '${id.slice(0, 200)}' not found in this conversation.`, {
    param: "item_id",
  });
}

export function duplicateItem(id: string): HearthError {
  return new HearthError(
    "invalid_value",
    `Duplicate item found with id '${id.slice(0, 200)}': the conversation has it already. Remove it from your input and try again.`,
    { param: "input", code: "duplicate_item" },
  );
}

/** The error while another response is generated in a conversation. */
export function locked(): HearthError {
  return new HearthError(
    "invalid_value",
    "Another response is being generated in this conversation. Please retry when it has ended.",
    { param: "conversation", code: "conversation_locked" },
  );
}

export function tooLarge({ conversationItemsMax, conversationBytesMax }: ConversationLimits): HearthError {
  return new HearthError(
    "invalid_value",
    `The conversation would be larger than a conversation may be: ${conversationItemsMax} items (conversationItemsMax) and ` +
      `${conversationBytesMax} bytes (conversationBytesMax). Delete items, or continue in another conversation.`,
    { param: "conversation", code: "conversation_too_large" },
  );
}

export function tooMany({ teamConversationsMax }: ConversationLimits): HearthError {
  return new HearthError(
    "invalid_value",
    `Your team has ${teamConversationsMax} conversations, as many as a team may have (teamConversationsMax). Delete some.`,
    { code: "storage_full" },
  );
}
