/** Model ids with a slash, sent without an HTTP client that would normalise the path. */
import { describe, expect, it } from "vitest";
import { fileServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { exchange } from "../../../kit/clients/raw.js";

const shared = fileServer({ engine: () => [] });

async function send(port: number, method: string, path: string) {
  const head = [`${method} ${path} HTTP/1.1`, "host: localhost", `authorization: Bearer ${keys.ada}`];
  const answer = await exchange(port, `${[...head, "connection: close"].join("\r\n")}\r\n\r\n`);
  const [headers = "", body = ""] = answer.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(headers)?.[1]), headers, body };
}

describe.each(["/v1/models", "/v1/language-models"])("%s/{id}", (list) => {
  it.each(["org/name:q4", "org%2Fname:q4", "org%2fname%3Aq4", "org/name%3Aq4", "org/name:q4/"])(
    "returns the model whose id has a slash for %s",
    async (id) => {
      const { port } = shared();
      const { status, body } = await send(port, "GET", `${list}/${id}`);
      expect([status, (JSON.parse(body) as { id: string }).id]).toEqual([200, "org/name:q4"]);
    },
  );

  it.each([
    ["//", ""],
    ["/ember-1m//", "ember-1m/"],
    ["//ember-1m", "/ember-1m"],
    ["/org//name:q4", "org//name:q4"],
    ["/../models/ember-1m", "../models/ember-1m"],
    ["/ember-1m/../ember-1m", "ember-1m/../ember-1m"],
    ["/x/%2e%2e/ember-1m", "x/../ember-1m"],
    ["/..", ".."],
    ["/%2F", ""],
    ["/org/%zz", "org/%zz"],
  ])("does not treat %s as another path", async (rest, id) => {
    const { port } = shared();
    const { status, body } = await send(port, "GET", list + rest);
    const { error } = JSON.parse(body) as { error: { code: string; message: string } };
    expect([status, error.code]).toEqual([404, "model_not_found"]);
    expect(error.message).toContain(`The model '${id}' does not exist`);
  });

  it("returns the list when nothing follows the slash", async () => {
    const { port } = shared();
    const [plain, slash] = [await send(port, "GET", list), await send(port, "GET", `${list}/`)];
    expect([slash.status, slash.body]).toEqual([200, plain.body]);
  });

  it("answers HEAD like GET, and reports the allowed methods for any other method", async () => {
    const { port } = shared();
    for (const id of ["org/name:q4", "org%2Fname:q4"]) {
      const [got, head] = [
        await send(port, "GET", `${list}/${id}`),
        await send(port, "HEAD", `${list}/${id}`),
      ];
      const length = /^content-length: \d+/im;
      expect([head.status, head.body, length.exec(head.headers)?.[0]]).toEqual([
        200,
        "",
        length.exec(got.headers)?.[0],
      ]);
      for (const [method, status] of [["DELETE", 405] as const, ["OPTIONS", 204] as const]) {
        const answer = await send(port, method, `${list}/${id}`);
        expect([answer.status, /^allow: (.*)$/im.exec(answer.headers)?.[1]]).toEqual([status, "GET, HEAD"]);
      }
    }
  });
});
