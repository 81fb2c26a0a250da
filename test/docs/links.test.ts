import { describe, expect, it } from "vitest";
import { root } from "../kit/folder.js";
import { allDocuments, type Document } from "./documents.js";
import { linkProblems } from "./link-problems.js";

const readmeBytesMax = 9_000;

function rows(documents: readonly Document[]) {
  return documents.map((document) => [document.path, document] as const);
}

describe("the documents", () => {
  it.each(rows(allDocuments()))(
    "%s: every link leads to a file and a heading that exist, and none to a package registry",
    (_, document) => {
      expect(linkProblems(root, document)).toEqual([]);
    },
  );

  it(`README.md has at most ${readmeBytesMax} bytes`, () => {
    const readme = allDocuments().find(({ path }) => path === "README.md");
    expect(Buffer.byteLength(readme?.text ?? "")).toBeLessThanOrEqual(readmeBytesMax);
    expect(readme?.text).not.toBe("");
  });
});

describe("the check of links", () => {
  const problems = (text: string) =>
    linkProblems(root, { path: "test/fixtures/guides/new.md", text }).map((problem) =>
      problem.replace("test/fixtures/guides/new.md: ", ""),
    );

  it("accepts files, headings, web pages and mail addresses", () => {
    const text = `# Own\n\n[a](#own) [b](settings.md) [c](./settings.md#port--host) ![d](pictures/request.svg)
[e](../../../CONTRIBUTING.md) [f](https://example.com/#x) <mailto:a@example.com> \`[g](gone.md)\`\n`;
    expect(problems(text)).toEqual([]);
  });

  it.each([
    ["[a](gone.md)", "gone.md leads to no file"],
    ["- x\n  - [a](gone.md#x)", "gone.md#x leads to no file"],
    ["| a |\n| - |\n| [a](gone.md) |", "gone.md leads to no file"],
    ["![a](pictures/gone.svg)", "pictures/gone.svg leads to no file"],
    ["[a](#gone)", "#gone leads to no heading"],
    ["[a](settings.md#gone)", "settings.md#gone leads to no heading"],
    ["[a](../../../../outside.md)", "../../../../outside.md leads to no file"],
    ["[a](/docs)", "/docs begins with a slash, which leads elsewhere in the repository"],
    ["[a](javascript:alert)", "javascript:alert is neither a file nor a web address"],
    [
      "[a][b]\n\n[b]: https://www.npmjs.com/package/x",
      "https://www.npmjs.com/package/x names a package registry",
    ],
    ["see https://pypi.org/project/x", "https://pypi.org/project/x names a package registry"],
  ])("finds what is wrong in %j", (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });
});
