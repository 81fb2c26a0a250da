import { describe, expect, it } from "vitest";
import { startServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";
import {
  createResponsesClient,
  toolCallSteps,
  type ResponsesClient,
} from "../../../kit/clients/responses.js";

/** Unknown ids with the length of server ids. */
const never = {
  response: "resp_0193a1c25d7e7c409b1fffffffffffff",
  item: "msg_0193a1c25d7e7c409b1fffffffffffff0000",
};

interface Own {
  readonly response: string;
  readonly item: string;
}

type Way = readonly [
  what: string,
  request: (ids: Own) => readonly [method: string, path: string, body?: object],
];

const model = "ember-1m";
const input = "And?";

/** Every way to refer to a response or item of another team. */
const ways: readonly Way[] = [
  ["reading", ({ response }) => ["GET", `/${response}`]],
  ["reading its stream", ({ response }) => ["GET", `/${response}?stream=true`]],
  [
    "reading its stream from an event on",
    ({ response }) => ["GET", `/${response}?stream=true&starting_after=1`],
  ],
  ["deleting", ({ response }) => ["DELETE", `/${response}`]],
  ["cancelling", ({ response }) => ["POST", `/${response}/cancel`]],
  ["listing its input", ({ response }) => ["GET", `/${response}/input_items`]],
  [
    "listing its input after an item",
    ({ response, item }) => ["GET", `/${response}/input_items?after=${item}`],
  ],
  ...["", "/input_tokens", "/compact"].flatMap((path): readonly Way[] => [
    [
      `going on from it by POST /v1/responses${path}`,
      ({ response }) => ["POST", path, { model, input, previous_response_id: response }],
    ],
    [
      `referring to its item by POST /v1/responses${path}`,
      ({ item }) => ["POST", path, { model, input: [{ type: "item_reference", id: item }] }],
    ],
  ]),
  [
    "going on from it in the background",
    ({ response }) => ["POST", "", { model, input, background: true, previous_response_id: response }],
  ],
];

async function idsOf(client: ResponsesClient, id: string): Promise<Own> {
  return { response: id, item: (await client.inputItems(id)).data[0]?.id ?? "" };
}

describe("E13: a response of another team", () => {
  it.each(ways)("is the same as none: %s", async (_what, way) => {
    const wait = gate();
    const server = await startServer({
      engine: (prompt) =>
        prompt.includes("Wait")
          ? ["Good", wait.opened]
          : ["Good day.", ...toolCallSteps("call_1", "f", "{}")],
    });
    const [ada, mallory] = [
      createResponsesClient(server.url),
      createResponsesClient(server.url, keys.mallory),
    ];
    const done = await ada.create({ input: "Hello" });
    const running = await ada.stream({ input: "Wait", background: true });
    const created = await running.until("response.created");
    await running.until("response.output_text.delta");
    const runningId = "response" in created ? created.response.id : "";
    const all = [await idsOf(ada, done.id), await idsOf(ada, runningId)];
    const output = { response: done.id, item: done.output[0]?.id ?? "" };
    const before = [await ada.find(done.id), await ada.find(runningId)];
    const expected = await mallory.send(...way(never));
    expect(expected.status).toBeGreaterThanOrEqual(400);
    for (const ids of [...all, output]) {
      const received = await mallory.send(...way(ids));
      const withTheirIds = received.text
        .replaceAll(ids.response, never.response)
        .replaceAll(ids.item, never.item);
      expect([received.status, withTheirIds]).toEqual([expected.status, expected.text]);
      expect(headersOf(received.headers)).toEqual(headersOf(expected.headers));
    }
    expect([await ada.find(done.id), await ada.find(runningId)]).toEqual(before);
    wait.open();
    await ada.findAs(runningId, "completed");
  });

  it("does not share item ids: an id that two teams use refers to the item of the own team", async () => {
    const server = await startServer({ engine: (prompt) => [prompt.replaceAll("\n", " / ")] });
    const [ada, mallory] = [
      createResponsesClient(server.url),
      createResponsesClient(server.url, keys.mallory),
    ];
    const said = (text: string) => ({ input: [{ role: "user", content: text, id: "msg_shared" }] });
    await ada.create(said("Mine"));
    await mallory.create(said("Hers"));
    const referred = await ada.create({ input: [{ type: "item_reference", id: "msg_shared" }] });
    expect(referred.output).toMatchObject([{ content: [{ text: "user: Mine / assistant:" }] }]);
  });
});

/** Headers except those that differ each time. */
function headersOf(headers: Headers): readonly (readonly [string, string])[] {
  const passing = ["x-request-id", "request-id", "date", "content-length"];
  return [...headers].filter(([name]) => !passing.includes(name));
}
