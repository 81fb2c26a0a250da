import type { LlamaContext } from "node-llama-cpp";
import { expect, it } from "vitest";
import { chooseThreadsByBatch } from "../../../../src/engine/llama/threads/batch-threads.js";

/** A context whose addon notes what it is asked. */
function notingContext(decode: () => Promise<void> = () => Promise.resolve()) {
  const asked: unknown[][] = [];
  const native = {
    initBatch: (size: number): void => void asked.push(["initBatch", size]),
    addToBatch: (...given: [number, number, Uint32Array, Uint32Array]): Uint32Array => {
      const [sequence, first, tokens, outputs] = given;
      asked.push(["addToBatch", sequence, first, tokens.length, [...outputs]]);
      return outputs;
    },
    setThreads: (threads: number): void => void asked.push(["setThreads", threads]),
    decodeBatch: (): Promise<void> => {
      asked.push(["decodeBatch"]);
      return decode();
    },
    disposeSequence: (sequence: number): void => void asked.push(["disposeSequence", sequence]),
  };
  return { asked, native, context: { _ctx: native } as unknown as LlamaContext };
}

it("gives each batch the threads for its number of tokens, and the library's until it is told how", () => {
  const { asked, native, context } = notingContext();
  const threads = chooseThreadsByBatch(context);
  native.initBatch(8);
  native.setThreads(6);
  threads.use((tokens) => tokens / 4);
  native.initBatch(16);
  native.setThreads(6);
  expect(asked).toEqual([
    ["initBatch", 8],
    ["setThreads", 6],
    ["initBatch", 16],
    ["setThreads", 4],
  ]);
});

it("evaluates a batch for its last token alone, with the threads that it is told, and frees the sequence", async () => {
  for (const decode of [() => Promise.resolve(), () => Promise.reject(new Error("no memory"))]) {
    const { asked, context } = notingContext(decode);
    await chooseThreadsByBatch(context)
      .evaluate(5, 3)
      .catch(() => undefined);
    expect(asked).toEqual([
      ["initBatch", 5],
      ["addToBatch", 0, 0, 5, [4]],
      ["setThreads", 3],
      ["decodeBatch"],
      ["disposeSequence", 0],
    ]);
  }
});
