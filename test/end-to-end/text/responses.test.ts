import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import type { ResponseObject } from "../../../src/dialects/openai-responses/response-schema.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestProcess, startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import {
  createResponsesClient,
  withoutIdsAndTimes,
  lastResponse,
  textOf,
  type ResponsesClient,
} from "../../kit/clients/responses.js";

const story = "Tell me a long story.";
const weather = {
  type: "function",
  name: "weather",
  description: "Tells the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const ask = (url: string, model = builtInModel): ResponsesClient =>
  createResponsesClient(url, testKey, model);

describe("responses of the built-in model", () => {
  it("have the number of input tokens that was counted beforehand and find their conversation in the cache", async () => {
    const { url } = await startServer();
    const asker = ask(url);
    const common = {
      model: builtInModel,
      max_output_tokens: 16,
      temperature: 0,
      reasoning: { effort: "none" },
    };
    const first = await asker.create({ ...common, input: story, instructions: "You are kind." });
    const requests: readonly object[] = [
      { input: "Hello!" },
      { input: "Hello!", instructions: "You are kind." },
      { input: "Is it warm in Rome?", tools: [weather] },
      { input: "And then?", previous_response_id: first.id },
      { input: [{ role: "user", content: story }, ...first.output, { role: "user", content: "And then?" }] },
      { input: "A person.", text: { format: { type: "json_object" } } },
    ];
    for (const fields of requests) {
      const { body } = await asker.send("POST", "/input_tokens", { ...common, ...fields });
      const { usage } = await asker.create({ ...common, ...fields });
      expect(body).toEqual({ object: "response.input_tokens", input_tokens: usage?.input_tokens });
    }
    const again = await asker.create({ ...common, input: "And then?", previous_response_id: first.id });
    expect(again.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0);
  });

  it("are the same as JSON, streamed and in the background", async () => {
    const { url } = await startServer();
    const asker = ask(url);
    const fields = { input: story, temperature: 0, max_output_tokens: 40, deterministic: true };
    const whole = await asker.create(fields);
    const streamed = lastResponse(await (await asker.stream(fields)).events());
    const { id } = await asker.create({ ...fields, background: true });
    const background = await asker.findAs(id, whole.status);
    expect(textOf(whole)).not.toBe("");
    const contentOf = ({ output, status }: ResponseObject) => ({ output, status });
    for (const other of [streamed, background])
      expect(contentOf(withoutIdsAndTimes(other) as ResponseObject)).toEqual(
        contentOf(withoutIdsAndTimes(whole) as ResponseObject),
      );
  });
});

describe("F12: a process that is killed with kill -9 and restarted", () => {
  it("keeps stored responses, completes queued and started ones, and fails streamed ones with an error that explains why", async () => {
    const data = join(temporaryFolder(), "data");
    const models = temporaryFolder();
    // Almost never ends its answer by itself.
    await writeVerifiedModel(models, "endless", { contextLength: 8192, vocabularySize: 20_000 });
    const environment = { HEARTH_DATA: data, HEARTH_MODELS: models, HEARTH_JOBS_ACTIVE_MAX: "2" };
    const first = await startProcess(environment);
    const before = ask(first.url, "endless");
    const stored = await before.create({ model: builtInModel, input: "Hello!", max_output_tokens: 8 });
    const long = { input: story, temperature: 0, background: true, max_output_tokens: 600 };
    const followed = await before.stream({ ...long, max_output_tokens: 6000 });
    const created = await followed.until("response.created");
    const streamed = "response" in created ? created.response.id : "";
    await followed.until("response.in_progress");
    const { id: running } = await before.create({ ...long, previous_response_id: stored.id });
    await before.findAs(running, "in_progress");
    const { id: queued } = await before.create({ ...long, max_output_tokens: 20 });
    await kill(first);

    const second = await startProcess(environment);
    const after = ask(second.url);
    expect(await after.find(stored.id)).toEqual(stored);
    const failed = await after.findAs(streamed, "failed");
    expect(failed.error).toEqual({
      code: "server_error",
      message: expect.stringContaining("The server stopped while it generated this response") as string,
    });
    expect((await (await after.follow(streamed)).events()).at(-1)?.type).toBe("response.failed");
    for (const id of [queued, running]) expect(await ended(after, id)).toMatch(/^(completed|incomplete)$/);
    expect(rowsOf(data, "select id from jobs")).toEqual([]);
    expect(runsOf(data, running)).toEqual(["completed", "interrupted"]);
    expect(runsOf(data, queued)).toEqual(["completed"]);
    expect(runsOf(data, streamed)).toEqual(["interrupted"]);
  });

  it("twice, at any moment, completes every background response exactly once", async () => {
    const data = join(temporaryFolder(), "data");
    const environment = { HEARTH_DATA: data, HEARTH_JOBS_ACTIVE_MAX: "2" };
    const first = await startProcess(environment);
    const ids: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      const { id } = await ask(first.url).create({ input: story, background: true, max_output_tokens: 24 });
      ids.push(id);
    }
    await someEnded(data, 1);
    await kill(first);
    const second = await startProcess(environment);
    await someEnded(data, 4);
    await kill(second);
    const third = await startProcess(environment);
    for (const id of ids) {
      expect(await ended(ask(third.url), id)).toMatch(/^(completed|incomplete)$/);
      expect(runsOf(data, id).filter((state) => state === "completed")).toHaveLength(1);
    }
    expect(rowsOf(data, "select id from jobs")).toEqual([]);
    expect(rowsOf(data, "select id from runs where state = 'running'")).toEqual([]);
  });
});

async function kill({ child, exited }: TestProcess): Promise<void> {
  child.kill("SIGKILL");
  expect(await exited).toBe("SIGKILL");
}

const looking = { interval: 20, timeout: 40_000 };

/** Returns the final status of a response. */
function ended(asker: ResponsesClient, id: string): Promise<ResponseObject["status"]> {
  const look = async (): Promise<ResponseObject["status"] | false> => {
    const { status } = await asker.find(id);
    return status !== "queued" && status !== "in_progress" && status;
  };
  return vi.waitUntil(look, looking);
}

/** Waits until so many responses have ended. */
async function someEnded(data: string, count: number): Promise<void> {
  const query = "select id from responses where status not in ('queued', 'in_progress')";
  await vi.waitUntil(() => rowsOf(data, query).length >= count, looking);
}

/** Returns the states of the runs of a response. */
function runsOf(data: string, id: string): readonly unknown[] {
  return rowsOf(data, "select state from runs where request_id = ? order by state", id).map(
    ({ state }) => state,
  );
}

function rowsOf(
  data: string,
  query: string,
  ...values: string[]
): readonly Readonly<Record<string, unknown>>[] {
  const database = new Database(join(data, "hearth.db"), { readonly: true });
  const rows = database.prepare<string[], Record<string, unknown>>(query).all(...values);
  database.close();
  return rows;
}
