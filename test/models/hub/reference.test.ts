import { describe, expect, it } from "vitest";
import { catalog, findInCatalog } from "../../../src/models/hub/choose/catalog.js";
import { isSafePath, parseReference } from "../../../src/models/hub/reference.js";

const endpoint = new URL("https://huggingface.co/");
const parse = (text: string, hub = endpoint) => parseReference(text, hub);
const repo = { type: "repo", repo: "acme/tiny-GGUF", revision: null, quant: null };
const file = { type: "file", repo: "acme/tiny-GGUF", revision: null, path: "a/tiny.gguf" };

describe("what a person names to pull", () => {
  it.each([
    ["acme/tiny-GGUF", repo],
    ["acme/tiny-GGUF:latest", repo],
    ["acme/tiny-GGUF:q4_k_m", { ...repo, quant: "q4_k_m" }],
    ["hf.co/acme/tiny-GGUF:Q8_0", { ...repo, quant: "Q8_0" }],
    ["https://huggingface.co/acme/tiny-GGUF", repo],
    ["https://huggingface.co/acme/tiny-GGUF/tree/v1.0", { ...repo, revision: "v1.0" }],
    ["acme/tiny-GGUF/a/tiny.gguf", file],
    ["hf.co/acme/tiny-GGUF/a/tiny.gguf", file],
    ["https://hf.co/acme/tiny-GGUF/blob/main/a/tiny.gguf?download=true", { ...file, revision: "main" }],
    ["https://huggingface.co/acme/tiny-GGUF/resolve/main/a/tiny.gguf", { ...file, revision: "main" }],
    ["qwen3", { type: "name", name: "qwen3", tag: null }],
    ["Qwen3:4B", { type: "name", name: "qwen3", tag: "4b" }],
  ])("is read: %s", (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it("is a URL when it is of another server, and of the hub when HF_ENDPOINT is its origin", () => {
    const text = "http://mirror.lan:8080/hub/acme/tiny-GGUF/resolve/main/a/tiny.gguf";
    expect(parse(text)).toEqual({ type: "url", url: new URL(text) });
    expect(parse(text, new URL("http://mirror.lan:8080/hub/"))).toEqual({ ...file, revision: "main" });
    expect(parse("https://example.com/x.gguf?token=1#top")).toEqual({
      type: "url",
      url: new URL("https://example.com/x.gguf?token=1"),
    });
  });

  it.each([
    "",
    "a b",
    "acme/",
    "acme/..",
    "../etc/passwd",
    "acme/tiny:",
    "acme/tiny:q4:q5",
    "acme/tiny/model.safetensors",
    "acme/tiny/../../x.gguf",
    "acme/tiny/.hidden.gguf",
    "con/tiny",
    "https://example.com/model.bin",
    "https://user:secret@example.com/x.gguf",
    "https://hf.co/acme/tiny/resolve/..%2f..%2fx.gguf",
    "ftp://example.com/x.gguf",
    "file:///etc/passwd.gguf",
    "name:tag:more",
    "x".repeat(3000),
  ])("A6: is refused with a reason: %s", (text) => {
    expect(() => parse(text)).toThrow(/cannot be pulled: /);
  });

  it("A6: is no path that leads out of a folder or that a system reserves", () => {
    for (const path of [
      "../x",
      "a/../x",
      "/x",
      "a//x",
      ".x",
      "a/.x",
      "a\\x",
      "x\0",
      "nul.gguf",
      "a/COM1",
      "x.",
      "x ",
    ])
      expect([path, isSafePath(path)]).toEqual([path, false]);
    expect(isSafePath("onnx/model.onnx_data_1")).toBe(true);
  });
});

describe("the curated list", () => {
  it("names each model once, with a repository, a licence and what it is good at", () => {
    const names = catalog.map(({ name, tag }) => `${name}:${tag}`);
    expect(new Set(names).size).toBe(names.length);
    for (const entry of catalog) {
      expect(parse(`${entry.repo}:${entry.quant}`)).toMatchObject({ type: "repo" });
      expect(parse(`${entry.name}:${entry.tag}`)).toMatchObject({ type: "name" });
      expect(entry.gigabytes).toBeGreaterThan(0);
      expect([entry.license, entry.goodAt]).not.toContain("");
    }
  });

  it("has a first tag for a name without one, and says which names and tags are close", () => {
    expect(findInCatalog("qwen3", null)).toEqual(findInCatalog("qwen3", "8b"));
    expect(findInCatalog("qwen3", "latest")).toEqual(findInCatalog("qwen3", "8b"));
    expect(() => findInCatalog("qwen3", "5b")).toThrow("there are qwen3:8b, qwen3:0.6b");
    expect(() => findInCatalog("qwen33", null)).toThrow("Did you mean qwen3");
    expect(() => findInCatalog("zzz", null)).toThrow("It has qwen3, ");
  });
});
