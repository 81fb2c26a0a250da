import { expect, it } from "vitest";
import type { ScriptedServer } from "../kit/server.js";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { gate, until } from "../kit/until.js";
import { startNodes } from "./nodes.js";

const never = gate().opened;

/** A script that says a word and then goes on waiting. @returns it, and a function that says whether a model has said the word */
function sayAndWait() {
  let hasSaid = false;
  function* play() {
    yield "Good";
    hasSaid = true;
    yield never;
  }
  return { script: () => play(), hasSaid: () => hasSaid };
}

/** Moves the clock of a server until a promise has ended. */
async function ended<Result>(node: ScriptedServer, work: Promise<Result>): Promise<Result> {
  let isEnded = false;
  void work.finally(() => (isEnded = true));
  await until(() => {
    node.clock.advance(50);
    return isEnded;
  });
  return work;
}

const background = { model: "ember-1m", input: "Hello", background: true };

async function createResponse(node: ScriptedServer): Promise<string> {
  const answer = await fetch(`${node.url}/v1/responses`, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: JSON.stringify(background),
  });
  return ((await answer.json()) as { id: string }).id;
}

it("a background response is cancelled on any server, with the output so far", async () => {
  const { script, hasSaid } = sayAndWait();
  const [one, two] = await startNodes([script, script]);
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const id = await createResponse(one);
  await until(hasSaid);
  const other = one.scheduler.load.running === 1 ? two : one;
  const response = await ended(
    other,
    fetch(`${other.url}/v1/responses/${id}/cancel`, { method: "POST", headers: headersOf(keys.ada) }),
  );
  expect(await response.json()).toMatchObject({
    status: "cancelled",
    output: [{ content: [{ text: "Good" }] }],
  });
  expect(one.scheduler.load.running + two.scheduler.load.running).toBe(0);
});

it("an operator cancels a request on any server: its client gets the error", async () => {
  const { script, hasSaid } = sayAndWait();
  const [one, two] = await startNodes([script, script]);
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const streaming = await post(one, { ...hello, stream: true });
  await until(hasSaid);
  const headers = { authorization: "Bearer a management key that no test uses" };
  const list = async () =>
    (await (await fetch(`${two.url}/admin/requests?status=running`, { headers })).json()) as {
      requests: { id: string }[];
    };
  const [running] = (await list()).requests;
  const answer = await ended(
    two,
    fetch(`${two.url}/admin/requests/${running?.id}/cancel`, { method: "POST", headers }),
  );
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ status: "cancelled", completionTokens: 1 });
  expect(await streaming.text()).toContain("The operator of this server has cancelled the request.");
});
