/** Images that a message of `hearth run` names. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attachImages } from "../../src/cli/chat-images.js";
import {
  describeMedia,
  imageTokensOf,
  look,
  picture,
  withoutMedia,
} from "../end-to-end/media/media-server.js";
import { temporaryFolder } from "../kit/folder.js";
import { forFile } from "../kit/for-file.js";
import { writeSeeingModel } from "../kit/models/seeing-models.js";
import { runProgram } from "../kit/program.js";
import { fileServer } from "../kit/server.js";
import { createUsualSettings, writeModelSettings } from "../kit/server/settings.js";
import { hasTerminal, keys, openTerminal, withoutTerminal } from "../kit/terminal.js";

/** Writes images and other files; @returns what paths are relative to. */
async function places() {
  const [home, folder] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(folder, "a b"));
  mkdirSync(join(folder, "folder.png"));
  const png = await picture(8, 8);
  for (const file of ["x.png", "y.JPG", "a b/it's (1).png"]) writeFileSync(join(folder, file), png);
  writeFileSync(join(home, "h.webp"), png);
  writeFileSync(join(folder, "text.gif"), "no image");
  writeFileSync(join(folder, "large.png"), Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]));
  return { home, folder };
}

describe("a message", () => {
  it.each([
    ["what is ./x.png?", ["what is ", "x.png", "?"]],
    ["x.png", ["x.png"]],
    ["  compare (./x.png) with y.JPG. ", ["compare (", "x.png", ") with ", "y.JPG", "."]],
    ["it's '~/h.webp' isn't it", ["it's ", "h.webp", " isn't it"]],
    ["see a\\ b/it\\'s\\ \\(1\\).png now", ["see ", "1).png", " now"]],
    ['see "a b/it\'s (1).png" now', ["see ", "1).png", " now"]],
    ["FOLDER/x.png", ["x.png"]],
    ["no ./none.png, folder.png, https://example.com/x.png or x.png.bak", null],
    ["nothing", null],
  ])("%s: has its images in the places of their paths", async (text, expected) => {
    const at = await places();
    const written = text.replace("FOLDER", at.folder);
    const { content, paths } = await attachImages([written], at);
    if (expected === null) return expect([content, paths]).toEqual([written, []]);
    const left = [...paths];
    const parts = (typeof content === "string" ? [content] : content).map((part) =>
      typeof part !== "string" && part.type === "image_url" ? (left.shift() ?? "") : part,
    );
    expect(parts).toEqual(
      expected.map((part) =>
        /(?:png|JPG|webp)$/.test(part)
          ? (expect.stringContaining(part) as unknown)
          : { type: "text", text: part },
      ),
    );
  });

  it("takes a word of the command that is a path whole, whatever blanks it has", async () => {
    const { content } = await attachImages(["look", "at", "a b/it's (1).png"], await places());
    expect(content).toMatchObject([{ type: "text", text: "look at " }, { type: "image_url" }]);
  });

  it("is refused with the name of a file that is no image, or is too large", async () => {
    const at = await places();
    await expect(attachImages(["see text.gif"], at)).rejects.toThrow(
      "'text.gif' is not an image of a known type; PNG, JPEG, WebP and GIF images are read",
    );
    await expect(attachImages(["see large.png"], at)).rejects.toThrow(
      "'large.png' is larger than the 10 MiB that are read of an image",
    );
  });
});

describeMedia(`hearth run with a model that sees${withoutTerminal}${withoutMedia}`, () => {
  const settings = forFile((finished) => Promise.resolve(createUsualSettings(finished)));
  const shared = fileServer(async (finished) => {
    const models = temporaryFolder(finished);
    await writeSeeingModel(models, "gemma3");
    const folder = temporaryFolder(finished);
    const HEARTH_CONFIG = writeModelSettings(folder, { gemma3: { sampling: { maxTokens: 8 } } });
    return { environment: { ...settings(), HEARTH_MODELS: models, HEARTH_CONFIG } };
  });
  const beside = () => ({ ...settings(), HEARTH_PORT: new URL(shared().url).port });

  /** Whether the model has read this message: its prompt is cached then. */
  async function hasRead(parts: readonly (string | Buffer)[]): Promise<boolean> {
    const again = await look(shared(), "gemma3", parts, 1);
    expect(imageTokensOf(again)).toBeGreaterThan(10);
    const { prompt_tokens: prompt = 0, prompt_tokens_details: details } = again.usage ?? {};
    return details?.cached_tokens === prompt - 1;
  }

  it("sends the image in the place of its path, and no path that was piped", async () => {
    const folder = temporaryFolder();
    const png = await picture(90, 60, 41);
    writeFileSync(join(folder, "x.png"), png);
    const run = runProgram(["run", "gemma3", "what is this? ./x.png"], beside(), folder);
    run.child.stdin?.end("or x.png");
    expect([await run.exited, run.stderr()]).toEqual([0, ""]);
    expect(run.stdout().trim()).not.toBe("");
    expect(await hasRead(["what is this? ", png, "\n\nor x.png"])).toBe(true);
  });

  it("exits with 1 and the name of the file that cannot be read", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "x.png"), "no image");
    const run = runProgram(["run", "gemma3", "what is this? ./x.png"], beside(), folder);
    run.child.stdin?.end();
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(/^hearth: '\.\/x\.png' is not an image of a known type/);
  });

  it.runIf(hasTerminal)(
    "on a terminal says which image it has added, goes on after one that fails, and ends at Ctrl-D",
    async () => {
      const folder = temporaryFolder();
      const png = await picture(90, 60, 42);
      writeFileSync(join(folder, "x.png"), png);
      writeFileSync(join(folder, "bad.png"), "no image");
      const terminal = openTerminal(["run", "gemma3"], { environment: beside(), cwd: folder });
      await terminal.waitFor(/>>>$/);
      terminal.type(`see ./bad.png${keys.enter}`);
      await terminal.waitFor(/hearth: '\.\/bad\.png' is not an image of a known type[^]*>>>$/);
      terminal.type(`see ./x.png${keys.enter}`);
      await terminal.waitFor("Added image './x.png'");
      // While the message is answered.
      terminal.type(keys.ctrlD);
      expect(await terminal.exited).toBe(0);
      expect(await hasRead(["see ", png])).toBe(true);
    },
  );
});
