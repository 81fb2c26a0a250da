/** Schemas of the answers of /v1/conversations. */
import { z } from "zod";
import { unixSecondsField } from "../../response-fields.js";
import { inputItemsPageSchema } from "../response-schema.js";

export const conversationSchema = z
  .object({
    id: z.string(),
    object: z.literal("conversation"),
    created_at: unixSecondsField,
    metadata: z.record(z.string(), z.string()).readonly(),
  })
  .readonly()
  .meta({ id: "Conversation" });

export const deletedConversationSchema = z
  .object({ id: z.string(), object: z.literal("conversation.deleted"), deleted: z.literal(true) })
  .readonly()
  .meta({ id: "DeletedConversation" });

export const conversationItemsSchema = inputItemsPageSchema.meta({ id: "ConversationItemList" });
