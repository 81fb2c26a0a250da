import { startTwoManaged } from "./managed.js";
import { expect, it } from "vitest";
import { createScriptedEngine } from "../kit/scripted/engine.js";
import { until } from "../kit/until.js";
import { chatLine, clientOf, createBatch, linesOf } from "../kit/clients/batches.js";

const lines = Array.from({ length: 30 }, (_, at) => chatLine(`line-${at}`, `word-${at}`));

it("two servers answer the lines of one batch, each line once, and either has its output", async () => {
  const answered = { first: 0, second: 0 };
  const [first, second] = await startTwoManaged(
    (name) => ({
      engine: createScriptedEngine(() => {
        answered[name] += 1;
        return ["Good"];
      }),
    }),
    { HEARTH_JOBS_ACTIVE_MAX: "4" },
  );
  const batch = await createBatch(clientOf(first), lines);
  const client = clientOf(second);
  let found = await client.batches.retrieve(batch.id);
  let isLooking = false;
  await until(() => {
    for (const { clock } of [first, second]) clock.advance(50);
    if (!isLooking) {
      isLooking = true;
      void client.batches.retrieve(batch.id).then((next) => {
        found = next;
        isLooking = false;
      });
    }
    return found.status === "completed";
  });
  expect(found.request_counts).toEqual({ total: 30, completed: 30, failed: 0 });
  const output = await linesOf(client, found.output_file_id ?? undefined);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(lines.map((_, at) => `line-${at}`));
  expect(answered.first + answered.second).toBe(30);
  expect(await linesOf(clientOf(first), found.output_file_id ?? undefined)).toEqual(output);
});
