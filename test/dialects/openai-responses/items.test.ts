import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readStoredItem,
  listReferences,
  resolveReferences,
  withIds,
} from "../../../src/dialects/openai-responses/items/items.js";
import {
  deletedResponse,
  inputItemsPage,
  inputTokensBody,
  parsePageQuery,
} from "../../../src/dialects/openai-responses/pages.js";
import { parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import {
  deletedResponseSchema,
  inputItemsPageSchema,
  inputTokensSchema,
} from "../../../src/dialects/openai-responses/response-schema.js";
import { body, errorOf, responseId } from "./requests.js";

const hex = responseId.slice("resp_".length);
const inputOf = (...input: unknown[]) => parseResponsesRequest(body({ input })).input;
const stored = (...input: unknown[]) => withIds(inputOf(...input), responseId);
const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };

describe("stored items", () => {
  it("have all fields and an id derived from their position", () => {
    const input = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Ho", name: null },
      { ...call, status: "incomplete" },
      { type: "function_call_output", call_id: "c", output: "r" },
      { type: "reasoning", encrypted_content: "x" },
      { type: "web_search_call", action: { query: "q" } },
    ];
    expect(stored(...input)).toEqual([
      {
        id: `msg_${hex}i0000`,
        type: "message",
        role: "user",
        status: "completed",
        content: [{ type: "input_text", text: "Hi" }],
      },
      {
        id: `msg_${hex}i0001`,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Ho", annotations: [], logprobs: [] }],
      },
      { id: `fc_${hex}i0002`, ...call, status: "incomplete" },
      {
        id: `fco_${hex}i0003`,
        type: "function_call_output",
        call_id: "c",
        output: "r",
        status: "completed",
      },
      { id: `rs_${hex}i0004`, type: "reasoning", status: "completed", summary: [], encrypted_content: "x" },
      { id: `item_${hex}i0005`, type: "web_search_call", action: { query: "q" } },
    ]);
  });

  it("keep ids of clients that are valid and unique", () => {
    const named = (id: string | null) => ({ id, role: "user", content: "x" });
    const ids = ["mine", "mine", "", "with space", "new\nline", "ä", "x".repeat(201), "x".repeat(200), null];
    expect(stored(...ids.map(named)).map(({ id }) => id)).toEqual([
      "mine",
      ...["1", "2", "3", "4", "5", "6"].map((at) => `msg_${hex}i000${at}`),
      "x".repeat(200),
      `msg_${hex}i0008`,
    ]);
  });

  it("are read back unchanged", () => {
    const items = stored({ role: "user", content: "Hi" }, call, { type: "reasoning", summary: [] });
    expect(items.map((item) => readStoredItem(JSON.stringify(item)))).toEqual(items);
    expect(errorOf('{"type":"smell"}', (json) => readStoredItem(String(json))).kind).toBe("internal");
  });
});

describe("references to items", () => {
  const input = inputOf(
    { role: "user", content: "a" },
    { id: "rs_1" },
    { type: "item_reference", id: "fc_1" },
  );

  it("are replaced by the items that they name", () => {
    expect(listReferences(input)).toEqual(["rs_1", "fc_1"]);
    const found = new Map([
      ["fc_1", readStoredItem(JSON.stringify(call))],
      ["rs_1", readStoredItem('{"type":"reasoning","summary":[]}')],
    ]);
    const resolved = resolveReferences(input, found);
    expect(resolved.map(({ type }) => type)).toEqual(["message", "reasoning", "function_call"]);
    expect(listReferences(resolved)).toEqual([]);
  });

  it("to unknown items are rejected with their position", () => {
    const found = new Map([["rs_1", readStoredItem(JSON.stringify(call))]]);
    const error = errorOf(input, () => resolveReferences(input, found));
    expect([error.kind, error.param]).toEqual(["invalid_value", "input.2.id"]);
    expect(error.message).toBe("Item with id 'fc_1' not found.");
  });
});

describe("pages of input items", () => {
  const items = stored(...["a", "b", "c", "d", "e"].map((id) => ({ id, role: "user", content: id })));

  it.each([
    [{}, "abcde", false],
    [{ limit: "2" }, "ab", true],
    [{ limit: "2", after: "b" }, "cd", true],
    [{ limit: "2", after: "c" }, "de", false],
    [{ after: "e" }, "", false],
    [{ order: "desc", limit: 1 }, "e", true],
    [{ order: "desc", limit: "3", after: "c" }, "ba", false],
  ])("contain for %j the items %j and report whether there are more", (query, ids, hasMore) => {
    const page = inputItemsPage(items, parsePageQuery(query));
    expect(page.data.map(({ id }) => id).join("")).toBe(ids);
    expect(page).toMatchObject({
      object: "list",
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
      has_more: hasMore,
    });
    expect(inputItemsPageSchema.parse(page)).toEqual(page);
  });

  it("contain 20 items by default", () => {
    const many = stored(...Array.from({ length: 30 }, () => ({ role: "user", content: "x" })));
    expect(inputItemsPage(many, parsePageQuery({})).data.length).toBe(20);
  });

  it("together contain every item once", () => {
    const order = fc.constantFrom("asc" as const, "desc" as const);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        order,
        (count, limit, way) => {
          const same = stored(
            ...Array.from({ length: count }, () => ({ id: "x", role: "user", content: "" })),
          );
          const seen: string[] = [];
          for (let after: string | null = null; ;) {
            const page = inputItemsPage(same, { limit, order: way, after });
            seen.push(...page.data.map(({ id }) => id ?? ""));
            if (!page.has_more) break;
            after = page.last_id;
          }
          const ids = same.map(({ id }) => id);
          expect(seen).toEqual(way === "asc" ? ids : ids.toReversed());
        },
      ),
    );
  });

  it.each([
    [{ limit: "0" }, "invalid_value", "limit"],
    [{ limit: "101" }, "invalid_value", "limit"],
    [{ limit: "ten" }, "invalid_field", "limit"],
    [{ limit: "1.5" }, "invalid_field", "limit"],
    [{ order: "up" }, "invalid_value", "order"],
    [{ after: ["a", "b"] }, "invalid_field", "after"],
    [{ after: "z" }, "invalid_value", "after"],
  ])("are rejected for %j with the name of the field", (query, kind, param) => {
    const error = errorOf(query, (value) => inputItemsPage(items, parsePageQuery(value)));
    expect([error.kind, error.param]).toEqual([kind, param]);
  });
});

describe("the bodies of a deletion and a token count", () => {
  it("contain the deleted id and the number of tokens", () => {
    const deleted = { id: "resp_1", object: "response", deleted: true };
    expect(deletedResponseSchema.parse(deletedResponse("resp_1"))).toEqual(deleted);
    const counted = { object: "response.input_tokens", input_tokens: 17 };
    expect(inputTokensSchema.parse(inputTokensBody(17))).toEqual(counted);
  });
});
