import { describe, expect, it } from "vitest";
import {
  findTurnConversation,
  KeptResponses,
} from "../../../../src/http/inference/websocket/kept-response.js";

const mib = 1_048_576;

/** Returns what a turn with an input of that size keeps. */
function keptOf(bytes: number) {
  const response = { id: `resp_${bytes}`, status: "completed", output: [] };
  return findTurnConversation({ store: false, input: "x".repeat(bytes) }, null).keep(response);
}

describe("what connections keep of responses that are not stored", () => {
  it("is nothing of a conversation of more than 8 MiB", () => {
    expect(keptOf(mib)).toMatchObject({ id: `resp_${mib}` });
    expect(keptOf(8 * mib)).toBeNull();
  });

  it("is at most 256 MiB together, and what a connection no longer keeps makes room", () => {
    const responses = new KeptResponses();
    const kept = keptOf(7 * mib);
    const all = Array.from({ length: 40 }, () => responses.replace(null, kept));
    expect(all.filter((each) => each !== null)).toHaveLength(36);
    expect(responses.replace(null, kept)).toBeNull();
    expect(responses.replace(kept, null)).toBeNull();
    expect(responses.replace(null, kept) === null).toBe(false);
    expect(responses.replace(null, kept)).toBeNull();
  });
});
