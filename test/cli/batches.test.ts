import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { uploadBatch } from "../../src/cli/batches/remote-batches.js";
import { createScriptedEngine } from "../kit/scripted/engine.js";
import { runCommand, type CommandEnd } from "../kit/command.js";
import { chatLine } from "../kit/clients/batches.js";
import { temporaryFolder } from "../kit/folder.js";
import { startServer } from "../kit/server.js";
import { testKey } from "../kit/server/settings.js";
import { gate } from "../kit/until.js";

/** Returns the ID in what a command prints. */
function idIn(printed: string): string {
  return /(?:batch_|file-)[0-9a-f]+/.exec(printed)?.[0] ?? "";
}

/** Starts a server, and runs commands against it. */
async function startWithCommand(script: Parameters<typeof createScriptedEngine>[0] = () => ["Good", " day"]) {
  const { url, app } = await startServer({ engine: createScriptedEngine(script) });
  const folder = temporaryFolder();
  const environment = {
    HEARTH_PORT: new URL(url).port,
    HEARTH_API_KEY: testKey,
    HEARTH_DATA: join(folder, "data"),
  };
  const hearth = (...words: string[]) => runCommand(words, environment);
  const path = (name: string): string => join(folder, name);
  const write = (name: string, lines: readonly (object | string)[]): string => {
    const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    writeFileSync(path(name), `${texts.join("\n")}\n`);
    return path(name);
  };
  const status = async (id: string): Promise<string> => {
    const { out } = await hearth("batches", "show", id, "--json");
    return (JSON.parse(out) as { readonly status: string }).status;
  };
  return { app, folder, hearth, path, write, status };
}

const ended = { timeout: 40_000, interval: 20 };

describe("hearth batches", () => {
  it("creates a batch of a file, lists and shows it, and writes its answers and errors", async () => {
    const { hearth, path, write, status } = await startWithCommand();
    const wrong = chatLine("wrong", "Hello", { temperature: 9 });
    const created = await hearth("batches", "create", write("in.jsonl", [chatLine("first", "Hello"), wrong]));
    expect(created).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^created the batch batch_\w+\n/) as string,
    });
    const id = idIn(created.out);
    await expect.poll(() => status(id), ended).toBe("completed");

    const listed = await hearth("batches", "ls");
    expect(listed.out).toMatch(/^ID +STATUS +ENDPOINT +REQUESTS +ANSWERED +FAILED +CREATED\n/);
    expect(listed.out).toMatch(new RegExp(`^${id} +completed +/v1/chat/completions +2 +1 +1 `, "m"));
    const shown = await hearth("batches", "show", id);
    expect(shown.out).toContain("requests:  2, answered 1, failed 1\n");

    const results = await hearth("batches", "results", id);
    const lines = results.out.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).toEqual([
      "first",
      "wrong",
    ]);
    expect(lines[0]).toContain("Good day");
    expect(await hearth("batches", "results", id, "--out", path("out.jsonl"))).toMatchObject({
      code: 0,
      out: "",
    });
    expect(readFileSync(path("out.jsonl"), "utf8")).toBe(results.out);
    expect(await hearth("batches", "results", id, "--out", path("out.jsonl"))).toMatchObject({
      code: 1,
      err: `hearth: ${path("out.jsonl")} exists; --force replaces it\n`,
    });
    expect((await hearth("batches", "results", id, "--out", path("out.jsonl"), "--force")).code).toBe(0);
  });

  it("has the results of a batch only once it has ended, and cancels it", async () => {
    const held = gate();
    const { hearth, write, status } = await startWithCommand(() => ["Good", held.opened]);
    const { out } = await hearth(
      "batches",
      "create",
      write("in.jsonl", [chatLine("first", "Hello")]),
      "--json",
    );
    const { id } = JSON.parse(out) as { readonly id: string };
    await expect.poll(() => status(id), ended).toBe("in_progress");
    expect(await hearth("batches", "results", id)).toMatchObject({
      code: 1,
      err: `hearth: ${id} has not ended: it is in_progress; \`hearth batches show ${id}\` says how far it is\n`,
    });
    expect((await hearth("batches", "cancel", id)).out).toContain("status:    cancelling\n");
    held.open();
    await expect.poll(() => status(id), ended).toBe("cancelled");
    expect((await hearth("batches", "results", id)).out).toContain("first");
  });

  it("says what is wrong with the input, whichever of them finds it, and leaves no upload behind", async () => {
    const { hearth, write, status } = await startWithCommand();
    const noRequest = await hearth("batches", "create", write("text.jsonl", ["Hello"]));
    expect(noRequest).toMatchObject({
      code: 1,
      err: expect.stringContaining("/text.jsonl is no request") as string,
    });
    const input = write("in.jsonl", [chatLine("first", "Hello"), chatLine("first", "Hello")]);
    const elsewhere = await hearth("batches", "create", input, "--endpoint", "/v1/models");
    expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining("endpoint") as string });
    expect((await hearth("files", "ls", "--json")).out).toBe("[]\n");
    const id = idIn((await hearth("batches", "create", input)).out);
    await expect.poll(() => status(id), ended).toBe("failed");
    expect((await hearth("batches", "show", id)).out).toMatch(/^problem: +line 2: .*custom_id/m);
    expect(await hearth("batches", "results", id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/was refused:\nline 2: .*custom_id/) as string,
    });
  });

  it("exits with 1 without a server or for an unknown batch, and with 2 for wrong usage", async () => {
    const { app, hearth, write } = await startWithCommand();
    const unknown = await hearth("batches", "show", "batch_none");
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("batch_none") as string });
    expect((await hearth("batches", "ls", "--limit", "0")).code).toBe(2);
    expect((await hearth("batches", "show")).code).toBe(2);
    expect((await hearth("files", "upload", write("note.txt", ["Hi"]), "--purpose", "none")).code).toBe(2);
    await app.close();
    const without = await hearth("batches", "ls");
    expect(without).toMatchObject({
      code: 1,
      err: expect.stringContaining("no server is running") as string,
    });
  });

  it("lists as many as it is asked for, over several pages", async () => {
    const { hearth, write } = await startWithCommand();
    const [first, second] = [
      await hearth("batches", "create", write("in.jsonl", [chatLine("a", "Hello")])),
      await hearth("batches", "create", write("in.jsonl", [chatLine("b", "Hello")])),
    ].map(({ out }) => idIn(out));
    const idsOf = ({ out }: CommandEnd): readonly string[] =>
      (JSON.parse(out) as readonly { readonly id: string }[]).map(({ id }) => id);
    expect(idsOf(await hearth("batches", "ls", "--json"))).toEqual([second, first]);
    expect(idsOf(await hearth("batches", "list", "--limit", "1", "--json"))).toEqual([second]);
  });
});

describe("the input of a batch that is not created", () => {
  const uploaded = {
    id: "file-1",
    bytes: 1,
    created_at: 1,
    expires_at: null,
    filename: "a",
    purpose: "batch",
  };

  /** Creates a batch on a server that answers so, and returns the error and the requests that were sent. */
  async function createOn(answers: Readonly<Record<string, () => Response>>) {
    const path = join(temporaryFolder(), "in.jsonl");
    writeFileSync(path, JSON.stringify(chatLine("first", "Hello")));
    const sent: string[] = [];
    const answer = (url: string, { method = "GET" }: RequestInit = {}): Promise<Response> => {
      const request = `${method} ${url}`;
      sent.push(request);
      return Promise.resolve().then(() => answers[request]?.() ?? Response.json(uploaded));
    };
    const created = uploadBatch({ url: "", key: testKey, fetch: answer }, path, null, () => undefined);
    const error = await created.catch((thrown: unknown) => thrown);
    return { message: error instanceof Error ? error.message : "none", deleted: sent.includes(deletion) };
  }
  const [creation, deletion] = ["POST /v1/batches", "DELETE /v1/files/file-1"] as const;
  const refuse = (message: string) => () => Response.json({ error: { message } }, { status: 400 });

  it("is deleted when the server refuses the batch, whose error is reported whatever becomes of the input", async () => {
    const refused = { [creation]: refuse("The endpoint is wrong."), [deletion]: refuse("No such file.") };
    expect(await createOn(refused)).toEqual({ message: "The endpoint is wrong.", deleted: true });
  });

  it("is kept when no answer says that there is no batch", async () => {
    const lost = (): Response => {
      throw new TypeError("terminated");
    };
    expect(await createOn({ [creation]: lost })).toEqual({ message: "terminated", deleted: false });
    expect(await createOn({ [creation]: () => new Response('{"id":"ba') })).toMatchObject({ deleted: false });
  });
});

describe("hearth files", () => {
  it("uploads, lists, prints and deletes files", async () => {
    const { hearth, path } = await startWithCommand();
    const name = 'a "strange" name.txt';
    writeFileSync(path(name), "Hello, world!\u0000\n");
    const uploaded = await hearth("files", "upload", path(name), "--json");
    const file = JSON.parse(uploaded.out) as { readonly id: string };
    expect(file).toMatchObject({ purpose: "user_data", bytes: 15 });
    const listed = await hearth("files", "ls");
    expect(listed.out).toMatch(new RegExp(`^${file.id} +a .*name\\.txt +15 B +user_data `, "m"));
    expect((await hearth("files", "get", file.id)).out).toBe("Hello, world!\u0000\n");
    expect((await hearth("files", "get", file.id, "--out", path("copy"))).code).toBe(0);
    expect(readFileSync(path("copy"), "utf8")).toBe("Hello, world!\u0000\n");

    const removed = await hearth("files", "rm", "file-none", file.id);
    expect(removed).toMatchObject({ code: 1, out: `deleted ${file.id}\n` });
    expect(removed.err).toContain("file-none");
    expect((await hearth("files", "get", file.id, "--out", path("gone"))).code).toBe(1);
    expect(() => readFileSync(path("gone"))).toThrow("ENOENT");
  });

  it("replace a file with --force only once their whole content is there", async () => {
    const { hearth, folder, path, write } = await startWithCommand();
    const kept = path("kept");
    writeFileSync(kept, "former", { mode: 0o640 });
    const id = idIn((await hearth("files", "upload", write("new.txt", ["new"]))).out);
    const target = ["--out", kept, "--force"];
    expect((await hearth("files", "get", "file-none", ...target)).code).toBe(1);
    expect(readFileSync(kept, "utf8")).toBe("former");
    expect((await hearth("files", "get", id, ...target)).code).toBe(0);
    expect(readFileSync(kept, "utf8")).toBe("new\n");
    expect(statSync(kept).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).toSorted()).toEqual(["kept", "new.txt"]);
  });

  it("have ids, as batches do, that the Tab key completes while the server runs", async () => {
    const { app, hearth, write } = await startWithCommand();
    const input = write("in.jsonl", [chatLine("first", "Hello")]);
    const file = idIn((await hearth("files", "upload", input)).out);
    const batch = idIn((await hearth("batches", "create", input)).out);
    expect((await hearth("complete", "--", "files", "get", file)).out).toBe(`${file}\tin.jsonl\n`);
    expect((await hearth("complete", "--", "batches", "cancel", "")).out).toContain(`${batch}\t`);
    await app.close();
    expect((await hearth("complete", "--", "files", "get", "")).out).toBe("");
  });

  it("says that a file cannot be read", async () => {
    const { hearth } = await startWithCommand();
    expect(await hearth("files", "upload", "absent")).toMatchObject({
      code: 1,
      err: expect.stringContaining("absent") as string,
    });
    expect((await hearth("files", "upload", ".")).err).toContain("is not a file");
  });
});
