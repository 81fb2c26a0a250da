import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Token } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { preflightGguf } from "../../../src/models/gguf.js";
import { loadLlama } from "../../kit/engine/llama.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeReplayModel } from "../../kit/replay/replay-model.js";

describe("a model that replays texts", () => {
  it("writes each text after a prompt of its length, ends its turn, and has no other likely token", async () => {
    const answers = [
      { promptTokens: 5, text: 'Grüße: <tool_call>{"name": "f"}</tool_call>\n' },
      { promptTokens: 90, text: "<|mark|>the end" },
    ];
    const path = join(temporaryFolder(), "replay.gguf");
    const bytes = writeReplayModel({
      template: "{{ messages[0].content }}",
      end: "<|im_end|>",
      control: ["<|mark|>"],
      userDefined: ["<tool_call>", "</tool_call>"],
      answers,
      contextTokens: 256,
    });
    await writeFile(path, bytes);
    expect(await preflightGguf(path)).toMatchObject({ ok: true });
    const model = await (await loadLlama()).loadModel({ modelPath: path });
    const context = await model.createContext({ contextSize: 256, threads: 1 });
    const sequence = context.getSequence();
    for (const { promptTokens, text } of answers) {
      const prompt = Array.from({ length: promptTokens }, () => 65 as Token);
      const written: Token[] = [];
      await sequence.clearHistory();
      for await (const { token, confidence = 0 } of sequence.evaluateWithMetadata(
        prompt,
        { confidence: true },
        { temperature: 0, yieldEogToken: true },
      )) {
        expect(confidence).toBeGreaterThan(0.99);
        if (model.isEogToken(token)) break;
        written.push(token);
      }
      expect(model.detokenize(written, true)).toBe(text);
    }
    await model.dispose();
  });
});
