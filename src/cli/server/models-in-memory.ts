/** Asks a server which models it has in memory. */
import { z } from "zod";
import { getJson, type ChatServer } from "../chat-client.js";

const modelInMemorySchema = z.object({
  id: z.string(),
  bytes: z.number(),
  device: z.string(),
  slots: z.number(),
  slots_held: z.number(),
  context_tokens: z.number(),
  template_repairs: z.array(z.string()).default([]),
  template_call: z.string().nullable().default(null),
  template_reasoning: z.array(z.string()).default([]),
  loaded_at: z.string(),
  until: z.string().nullable(),
});
const responseSchema = z.object({ data: z.array(modelInMemorySchema) });

export type ModelInMemory = z.infer<typeof modelInMemorySchema>;

/** Returns the models that a server has in memory. @throws Error with the server's message if it returns an error. */
export async function fetchModelsInMemory(server: ChatServer): Promise<readonly ModelInMemory[]> {
  return responseSchema.parse(await getJson(server, "/v1/hearth/ps")).data;
}
