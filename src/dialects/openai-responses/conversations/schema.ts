/** Schemas of the requests of /v1/conversations. `null` means absent for every optional field. */
import { z } from "zod";
import { boundedArray, metadataField } from "../../request-fields.js";
import { inputItemSchema } from "../items/input-item-schema.js";
import { pageQuerySchema } from "../pages.js";

/** Items that one request may add. */
const newItemsMax = 20;

const includeField = z.union([z.string(), z.array(z.string())]).optional();

export const conversationRequestSchema = z
  .object({
    items: boundedArray(inputItemSchema, newItemsMax)
      .nullish()
      .describe("The first items of the conversation."),
    metadata: metadataField.nullish(),
  })
  .meta({ id: "ConversationRequest" });

export const conversationUpdateSchema = z
  .object({ metadata: metadataField.nullable().describe("Replaces all pairs; `null` removes them.") })
  .meta({ id: "ConversationUpdate" });

export const newItemsSchema = z
  .object({ items: boundedArray(inputItemSchema, newItemsMax) })
  .meta({ id: "ConversationItemsRequest" });

/** The query of a request for items. */
export const includeQuerySchema = z.object({
  include: includeField.describe(
    "`reasoning.encrypted_content` adds the encrypted content to reasoning items.",
  ),
  "include[]": includeField.describe("The same as `include`."),
});

export const itemsQuerySchema = z.object({
  ...pageQuerySchema.shape,
  ...includeQuerySchema.shape,
});
