import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { writeModel } from "../kit/models/gguf-writer.js";
import { root, temporaryFolder } from "../kit/folder.js";
import { startProcess } from "../kit/program.js";
import { clientOf } from "../kit/server/requests.js";
import { builtInModel } from "../kit/server/settings.js";

const shell = promisify(execFile);
const story = [{ role: "user" as const, content: "Tell me a long story." }];

/** Returns the first keys that a server on a new data folder has stored. */
const firstKeys = (data: string): readonly [key: string, managementKey: string] => [
  readFileSync(join(data, "first-key"), "utf8").trim(),
  readFileSync(join(data, "first-management-key"), "utf8").trim(),
];

/** Returns the command of the README for this server. */
function readmeCurl(url: string, key: string): string {
  const [, command = ""] =
    /```sh\n(curl [^`]*?)\n```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  return command.replace("http://127.0.0.1:4280", url).replace("hk-your-key", key);
}

// Each start takes seconds, so that these two tests have three between them.
describe("hearth start", () => {
  it("on an empty data folder prints its key, stores both keys readable by their owner only, answers the curl command of the README, and stops on SIGTERM after the answer in flight, with 0", async () => {
    const data = join(temporaryFolder(), "data");
    const server = await startProcess({ HEARTH_DATA: data, HEARTH_API_KEY: "" });
    await server.line(/^(http:.*\/console#link=.*)$/);
    const [key, managementKey] = firstKeys(data);
    expect(key).toMatch(/^hk-[0-9A-Za-z]{54}$/);
    expect(server.stdout()).toContain(key);
    expect(statSync(join(data, "first-key")).mode & 0o777).toBe(0o600);
    expect(server.stdout()).not.toContain(managementKey);
    expect(statSync(join(data, "first-management-key")).mode & 0o777).toBe(0o600);
    const headers = { authorization: `Bearer ${managementKey}` };
    expect((await fetch(`${server.url}/auth/management-keys/validation`, { headers })).status).toBe(200);
    const { stdout } = await shell("sh", ["-c", `${readmeCurl(server.url, key)} -sS`]);
    expect(JSON.parse(stdout)).toMatchObject({ object: "chat.completion", model: builtInModel });

    const stream = await clientOf(server.url, key).chat.completions.create({
      model: builtInModel,
      messages: story,
      temperature: 0,
      stream: true,
      max_tokens: 300,
    });
    let finish: string | null = null;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content && !server.child.killed) server.child.kill("SIGTERM");
      finish = chunk.choices[0]?.finish_reason ?? finish;
    }
    expect(finish).not.toBeNull();
    expect(await server.exited).toBe(0);
  });

  it("F12: killed in mid-stream and started again, has the run marked interrupted, its key works and is not printed again, and nothing is stuck", async () => {
    const data = join(temporaryFolder(), "data");
    // Does not end its answer: that the server is gone too is known a moment after its supervisor was killed.
    const models = temporaryFolder();
    await writeModel(join(models, "endless.gguf"), { contextLength: 8192, vocabularySize: 20_000 });
    const first = await startProcess({ HEARTH_DATA: data, HEARTH_API_KEY: "", HEARTH_MODELS: models });
    const [key, managementKey] = firstKeys(data);
    const request = { model: "endless", messages: story, ignore_eos: true };
    const stream = await clientOf(first.url, key).chat.completions.create({ ...request, stream: true });
    const read = async (): Promise<void> => {
      for await (const _ of stream) first.child.kill("SIGKILL");
    };
    await expect(read()).rejects.toThrow();
    expect(await first.exited).toBe("SIGKILL");

    const second = await startProcess({ HEARTH_DATA: data, HEARTH_API_KEY: "" });
    expect(second.stdout()).not.toContain(key);
    expect(second.stdout()).not.toContain(managementKey);
    const answer = await clientOf(second.url, key).chat.completions.create({
      model: builtInModel,
      messages: story,
      max_tokens: 5,
    });
    expect(answer.object).toBe("chat.completion");
    const database = new Database(join(data, "hearth.db"), { readonly: true });
    const rows = database.prepare("select state, prompt_tokens from runs order by start_time").all();
    database.close();
    expect(rows).toEqual([
      { state: "interrupted", prompt_tokens: expect.any(Number) as number },
      { state: "completed", prompt_tokens: answer.usage?.prompt_tokens },
    ]);
  });
});
