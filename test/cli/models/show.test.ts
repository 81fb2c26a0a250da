import { describe, expect, it } from "vitest";
import { builtInFiles } from "../../models/remote/tokenizer-files.js";
import { commandEnvironment } from "./environment.js";

const hash = "ab".repeat(32);

describe("hearth show", () => {
  it("prints what is known of a model: its shape, source, names, prices, settings, template and memory", async () => {
    const { gguf, write, hearth } = commandEnvironment();
    gguf("models/org/repo/zeta-Q8_0.gguf", {
      contextLength: 4096,
      metadata: { "general.file_type": { type: "u32", value: 7 } },
    });
    write(
      "models/org/repo/.source.json",
      JSON.stringify({
        source: "org/repo",
        revision: "0123abc",
        name: null,
        license: "mit",
        files: [{ path: "zeta-Q8_0.gguf", bytes: 1, sha256: hash }],
        pulledAt: "2026-11-21T12:00:00.000Z",
      }),
    );
    await hearth("set", "zeta-q8_0", "context=1024", "prices.prompt=0.5", "sampling.temperature=0.2");
    const text = await hearth("show", "org/repo");
    for (const line of [
      /^ +architecture +qwen3$/m,
      /^ +parameters +0\.\dM$/m,
      /^ +layers +2$/m,
      /^ +embedding length +64$/m,
      /^ +quantization +Q8_0$/m,
      /^ +context +1024 of 4096 tokens$/m,
      /^ +license +mit$/m,
      /^ +source +org\/repo at 0123abc$/m,
      new RegExp(`^ +sha256 +${hash}$`, "m"),
      /^ +org\/repo:Q8_0 +files$/m,
      /^ +prompt +0\.50$/m,
      /^ +sampling\.temperature +0\.2 +\(hearth set\)$/m,
      /^ +reasoning +<think>.*<\/think>$/m,
      /^ +verdict +fits$/m,
      /^ +needs +about [\d.]+ MB: weights \d+ kB, context [\d.]+ [kM]B, buffers$/m,
    ])
      expect(text).toMatch(line);
  });

  it("prints the same as one JSON object", async () => {
    const { json } = commandEnvironment();
    expect(await json("show", "hearth-tiny")).toMatchObject({
      id: "hearth-tiny-5m",
      architecture: "qwen3",
      contextTokens: 8192,
      aliases: [{ alias: "hearth-tiny", source: "files" }],
      prices: { promptUsd: "0.01", completionUsd: "0.04" },
      settings: [],
      template: { reasoning: "<think>...</think>" },
      fit: { verdict: "fits", tokensPerSecond: null },
    });
  });

  it("prints the chat template that is used, and nothing else, for --template", async () => {
    const { gguf, hearth } = commandEnvironment();
    gguf("models/zeta.gguf", { chatTemplate: "{{ messages[0].content }}" });
    expect(await hearth("show", "--template", "zeta")).toBe("{{ messages[0].content }}\n");
    await hearth("set", "zeta", "template={{ 'own' }}");
    expect(await hearth("show", "--template", "zeta")).toBe("{{ 'own' }}\n");
    await expect(hearth("show", "--template", "hearth-painter")).rejects.toThrow(
      "'hearth-painter-3m' has no chat template",
    );
  });

  it("prints why a model cannot be used", async () => {
    const { write, hearth } = commandEnvironment();
    write("models/broken.gguf", "no GGUF");
    expect(await hearth("show", "broken")).toMatch(
      /^ +unusable +its file 'broken.gguf' is refused: it has 7 bytes/m,
    );
  });

  it("says where the tokenizer of a model on a remote engine comes from, or why its files cannot be used", async () => {
    const models = ["zeta", "team/eta", "theta"];
    const { gguf, write, hearth } = commandEnvironment({
      HEARTH_ENGINES: JSON.stringify([{ kind: "vllm", url: "http://127.0.0.1:1", models }]),
    });
    gguf("models/zeta.gguf");
    const { tokenizer, tokenizerConfig, config } = await builtInFiles();
    for (const [name, content] of Object.entries({ tokenizer, tokenizer_config: tokenizerConfig, config }))
      write(`models/team/eta/${name}.json`, JSON.stringify(content));
    write("models/theta/tokenizer.json", JSON.stringify({ model: { type: "WordPiece" } }));
    expect(await hearth("show", "zeta")).toMatch(/^ +tokenizer +the GGUF file$/m);
    const text = await hearth("show", "team/eta");
    expect(text).toMatch(/^ +tokenizer +tokenizer\.json, in llama\.cpp's form$/m);
    expect(text).toMatch(/^ +path +\S+team\/eta\/tokenizer\.json$/m);
    expect(text).toMatch(/^ +architecture +qwen3$/m);
    expect(text).not.toMatch(/^ +(parameters|layers|quantization)/m);
    expect(await hearth("show", "theta")).toContain(
      "tokenizer.json: model.type: 'WordPiece' is not supported, only BPE is.",
    );
    await expect(hearth("rm", "team/eta")).rejects.toThrow("has only the files of its tokenizer here");
  });
});
