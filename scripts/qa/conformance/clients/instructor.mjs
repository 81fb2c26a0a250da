/** Instructor over the OpenAI client: each of its modes, a retry, and a partial stream. */
import assert from "node:assert/strict";
import createInstructor from "@instructor-ai/instructor";
import OpenAI from "openai";
import { z } from "zod";
import { builtIn, collect, question, runFlows } from "./flows.mjs";

const schema = z.object({ sunny: z.boolean(), windy: z.boolean() });
const client = new OpenAI({ baseURL: `${builtIn.url}/v1`, apiKey: builtIn.key });
const request = {
  model: builtIn.model,
  temperature: 0,
  messages: [{ role: "user", content: question }],
  response_model: { schema, name: "Report" },
  max_retries: 2,
};

/** @param {"TOOLS" | "JSON_SCHEMA"} mode */
const extracts = (mode) => async () => {
  const report = await createInstructor({ client, mode }).chat.completions.create(request);
  assert.equal(typeof schema.parse(report).sunny, "boolean");
};

await runFlows({
  tools: extracts("TOOLS"),
  "schema mode": extracts("JSON_SCHEMA"),
  async stream() {
    const instructor = createInstructor({ client, mode: "TOOLS" });
    const parts = await collect(await instructor.chat.completions.create({ ...request, stream: true }));
    schema.parse(parts.at(-1));
  },
});
