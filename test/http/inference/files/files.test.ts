import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { createTestTeam } from "../../threats/world.js";
import { eventually } from "../../../kit/until.js";
import { contentNames, upload } from "../../../kit/clients/uploads.js";

const shared = fileServer({ accounts: "managed" });

const clientOf = (server: { url: string; apiKey: string }) =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });

describe("/v1/files", () => {
  it("serves OpenAI's client: upload, get, list, content, delete", async () => {
    const server = shared();
    const { apiKey } = await createTestTeam(server, "of OpenAI's client");
    const before = contentNames(server.data);
    const client = clientOf({ url: server.url, apiKey });
    const bytes = randomBytes(300_000);
    const file = await client.files.create({
      file: await toFile(bytes, "data with ü.bin"),
      purpose: "user_data",
      expires_after: { anchor: "created_at", seconds: 3_600 },
    });
    expect(file).toMatchObject({
      object: "file",
      bytes: 300_000,
      filename: "data with ü.bin",
      purpose: "user_data",
      status: "processed",
    });
    expect(file.id).toMatch(/^file-[0-9a-f]{32}$/);
    expect(file.expires_at).toBe(file.created_at + 3_600);
    expect(await client.files.retrieve(file.id)).toEqual(file);
    expect((await client.files.list()).data).toEqual([file]);
    const content = await client.files.content(file.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    expect(content.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(content.headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''data%20with%20%C3%BC.bin",
    );
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: "file", deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
    expect(contentNames(server.data)).toEqual(before);
  });

  it("serves Anthropic's client in Anthropic's shapes, errors included", async () => {
    const server = shared();
    const { apiKey } = await createTestTeam(server, "of Anthropic's client");
    const client = new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 });
    const file = await client.beta.files.upload({
      file: await toFile(Buffer.from("Good day."), "day.txt", { type: "text/plain" }),
    });
    expect(file).toMatchObject({
      type: "file",
      filename: "day.txt",
      mime_type: "text/plain",
      size_bytes: 9,
      downloadable: true,
    });
    expect(Number.isNaN(Date.parse(file.created_at))).toBe(false);
    const listed = await client.beta.files.list({ limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([file.id]);
    expect((await client.beta.files.retrieveMetadata(file.id)).id).toBe(file.id);
    expect(await (await client.beta.files.download(file.id)).text()).toBe("Good day.");
    expect(await client.beta.files.delete(file.id)).toEqual({ id: file.id, type: "file_deleted" });
    await expect(client.beta.files.retrieveMetadata(file.id)).rejects.toMatchObject({
      status: 404,
      error: { type: "error", error: { type: "not_found_error" } },
    });
  });

  it("pages through the files, in both directions and by purpose", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const ids: string[] = [];
    for (const purpose of ["user_data", "batch", "user_data"]) {
      ids.push((await upload(server.url, server.apiKey, "a text", { purpose })).body.id);
      server.clock.advance(1_000);
    }
    const newestFirst = ids.toReversed();
    const idsOf = async (query: string): Promise<unknown> => {
      const { body } = await server.request("GET", `/v1/files${query}`, undefined, server.apiKey);
      const { data, has_more: more } = body as { data: { id: string }[]; has_more: boolean };
      return [data.map(({ id }) => id), more];
    };
    expect(await idsOf("")).toEqual([newestFirst, false]);
    expect(await idsOf("?order=asc")).toEqual([ids, false]);
    expect(await idsOf("?purpose=batch")).toEqual([[ids[1]], false]);
    expect(await idsOf("?purpose=fine-tune")).toEqual([[], false]);
    expect(await idsOf("?limit=2")).toEqual([newestFirst.slice(0, 2), true]);
    expect(await idsOf(`?limit=2&after=${newestFirst[1]}`)).toEqual([newestFirst.slice(2), false]);
    expect(await idsOf(`?limit=1&before_id=${newestFirst[2]}`)).toEqual([[newestFirst[1]], true]);
    const listed: string[] = [];
    for await (const file of clientOf(server).files.list({ limit: 1 })) listed.push(file.id);
    expect(listed).toEqual(newestFirst);
    const refused = await server.request("GET", "/v1/files?limit=0", undefined, server.apiKey);
    expect(refused).toMatchObject({ status: 400, body: { error: { param: "limit" } } });
  });

  it("deletes a file when it expires; the input of a batch after 30 days", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const { body } = await upload(server.url, server.apiKey, "a line", { purpose: "batch" });
    expect(body["expires_at"]).toBe(Number(body["created_at"]) + 30 * 86_400);
    const get = () => server.request("GET", `/v1/files/${body.id}`, undefined, server.apiKey);
    server.clock.jump(30 * 86_400_000 - 1_000);
    expect((await get()).status).toBe(200);
    server.clock.advance(1_000);
    expect((await get()).status).toBe(404);
    server.clock.jump(3_600_000);
    await eventually(() => {
      server.clock.advance(100);
      expect(contentNames(server.data)).toEqual([]);
    });
  });

  it("hides the files of another team", async () => {
    const server = shared();
    const other = await createTestTeam(server, "theirs");
    const { body } = await upload(server.url, server.apiKey, "ours");
    const ask = (method: string, path: string) => server.request(method, path, undefined, other.apiKey);
    expect((await ask("GET", `/v1/files/${body.id}/content`)).status).toBe(404);
    expect((await ask("DELETE", `/v1/files/${body.id}`)).status).toBe(404);
    expect((await ask("GET", "/v1/files")).body).toMatchObject({ data: [] });
    expect((await ask("GET", `/v1/files?after=${body.id}`)).body).toMatchObject({ data: [] });
  });
});

describe("an upload", () => {
  it.each([
    ["without a purpose", {}, 422, "purpose"],
    ["with an unknown purpose", { purpose: "fine-tune" }, 400, "purpose"],
    [
      "that expires too soon",
      { purpose: "user_data", "expires_after[seconds]": "60" },
      400,
      "expires_after[seconds]",
    ],
    ["with a long field", { purpose: "x".repeat(5_000) }, 400, "purpose"],
  ] as const)(
    "%s is refused by the name of the field, and leaves nothing",
    async (_, fields, status, param) => {
      const server = shared();
      const before = contentNames(server.data);
      const refused = await upload(server.url, server.apiKey, "a text", fields);
      expect(refused).toMatchObject({ status, body: { error: { param } } });
      expect(contentNames(server.data)).toEqual(before);
    },
  );

  const form = "multipart/form-data; boundary=b";
  const part = (name: string, filename: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\ntext\r\n`;
  it.each([
    ["a body that is no form", "application/json", "{}", 415],
    ["a form without a boundary", "multipart/form-data", "x", 415],
    ["a boundary of 1,000 characters", `multipart/form-data; boundary=${"b".repeat(1_000)}`, "x", 400],
    ["a form without a file", form, "--b--\r\n", 422],
    ["a form that ends too early", form, part("file", "a.txt"), 400],
    ["two files", form, `${part("file", "a.txt")}${part("file", "b.txt")}--b--\r\n`, 400],
    ["a file in another field", form, `${part("data", "a.txt")}--b--\r\n`, 400],
    ["a file name of 300 characters", form, `${part("file", "x".repeat(300))}--b--\r\n`, 400],
    [
      "100 fields",
      form,
      `${'--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n'.repeat(100)}--b--\r\n`,
      400,
    ],
  ])("E9: with %s is refused, and leaves nothing", async (_, type, body, status) => {
    const server = shared();
    const before = contentNames(server.data);
    const response = await fetch(`${server.url}/v1/files`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.apiKey}`, "content-type": type },
      body,
    });
    await response.text();
    expect(response.status).toBe(status);
    expect(contentNames(server.data)).toEqual(before);
  });

  it("never uses the client's file name as a path", async () => {
    const server = shared();
    const before = contentNames(server.data);
    const body = `${part("file", "../../evil.txt")}--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nvision\r\n--b--\r\n`;
    const response = await fetch(`${server.url}/v1/files`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.apiKey}`, "content-type": form },
      body,
    });
    const file = (await response.json()) as { id: string; filename: string };
    expect(file.filename).toBe("evil.txt");
    expect(new Set(contentNames(server.data))).toEqual(new Set([...before, file.id]));
  });

  it("is refused beyond the size of a file, and the number and bytes of a team's files", async () => {
    const server = await startServer({
      accounts: "managed",
      environment: {
        HEARTH_FILE_BYTES_MAX: "1000",
        HEARTH_TEAM_FILES_MAX: "2",
        HEARTH_TEAM_FILE_BYTES_MAX: "1500",
      },
    });
    const send = (bytes: number) => upload(server.url, server.apiKey, "x".repeat(bytes));
    expect((await send(1_001)).status).toBe(413);
    expect((await send(1_000)).status).toBe(200);
    const full = { status: 400, body: { error: { code: "storage_limit_exceeded" } } };
    expect(await send(501)).toMatchObject(full);
    const { body } = await send(500);
    expect(await send(0)).toMatchObject(full);
    expect((await server.request("DELETE", `/v1/files/${body.id}`, undefined, server.apiKey)).status).toBe(
      200,
    );
    expect((await send(500)).status).toBe(200);
    expect(contentNames(server.data)).toHaveLength(2);
    // Another team has a quota of its own.
    const other = await createTestTeam(server, "other");
    expect((await upload(server.url, other.apiKey, "x")).status).toBe(200);
  });

  it("that its client gives up leaves nothing", async () => {
    const server = shared();
    const before = contentNames(server.data);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `POST /v1/files HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.apiKey}\r\n` +
        `content-type: ${form}\r\ncontent-length: 100000\r\n\r\n${part("file", "a.txt")}`,
    );
    await eventually(() => expect(contentNames(server.data)).toHaveLength(before.length + 1));
    socket.destroy();
    await eventually(() => expect(contentNames(server.data)).toEqual(before));
  });
});

it("removes at start what a process that died has left in the folder of files", async () => {
  const data = join(temporaryFolder(), "data");
  const first = await startServer({ accounts: "managed", environment: { HEARTH_DATA: data } });
  const { body } = await upload(first.url, first.apiKey, "kept");
  await first.app.close();
  mkdirSync(join(data, "files"), { recursive: true });
  writeFileSync(join(data, "files", `file-${"0".repeat(32)}`), "no row");
  writeFileSync(join(data, "files", `file-${"1".repeat(32)}.partial`), "no end");
  await startServer({ accounts: "managed", environment: { HEARTH_DATA: data } });
  expect(contentNames(data)).toEqual([body.id]);
});
