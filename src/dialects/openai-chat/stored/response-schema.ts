/** Schemas of the answers with stored chat completions. */
import { z } from "zod";
import { responseArray, responseObject } from "../../response-fields.js";
import { chatCompletion } from "../response-schema.js";

export const storedCompletion = responseObject({
  ...chatCompletion.unwrap().shape,
  metadata: z.record(z.string(), z.string()).readonly(),
}).meta({ id: "StoredChatCompletion", description: "A stored answer, with its metadata." });

const page = {
  object: z.literal("list"),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
};

export const storedCompletions = responseObject({ ...page, data: responseArray(storedCompletion) }).meta({
  id: "StoredChatCompletionList",
});

const storedMessage = z
  .looseObject({
    id: z.string(),
    role: z.string(),
    content: z.string().nullable(),
    content_parts: z
      .array(z.unknown())
      .readonly()
      .nullable()
      .describe("The parts of a content that is not a text."),
  })
  .readonly()
  .meta({
    id: "StoredChatMessage",
    description: "A message of the request, with its other fields as they were sent.",
  });

export const storedMessages = responseObject({ ...page, data: responseArray(storedMessage) }).meta({
  id: "StoredChatMessageList",
});

export const deletedCompletion = responseObject({
  id: z.string(),
  object: z.literal("chat.completion.deleted"),
  deleted: z.literal(true),
}).meta({ id: "DeletedChatCompletion" });
