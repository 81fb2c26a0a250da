/** Images and sounds that a message of `hearth run` names. */
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { attachFiles } from "../../../src/cli/run/messages/named-files.js";
import {
  describeMedia,
  imageTokensOf,
  look,
  picture,
  withoutMedia,
} from "../../end-to-end/media/media-server.js";
import { temporaryFolder } from "../../kit/folder.js";
import { forFile } from "../../kit/for-file.js";
import { writeSeeingModel } from "../../kit/models/seeing-models.js";
import { runProgram } from "../../kit/program.js";
import { fileServer } from "../../kit/server.js";
import { createUsualSettings, writeModelSettings } from "../../kit/server/settings.js";
import { risingTone, risingToneMp3, wavOf } from "../../kit/sound-files.js";
import { hasTerminal, keys, openTerminal, withoutTerminal } from "../../kit/terminal.js";

/** Images and other files, and what paths are relative to. */
const places = forFile(async (finished) => {
  const [home, folder] = [temporaryFolder(finished), temporaryFolder(finished)];
  mkdirSync(join(folder, "a b"));
  mkdirSync(join(folder, "folder.png"));
  const png = await picture(8, 8);
  for (const file of ["x.png", "y.JPG", "a b/it's (1).png"]) writeFileSync(join(folder, file), png);
  writeFileSync(join(home, "h.webp"), png);
  writeFileSync(join(folder, "text.gif"), "no image");
  writeFileSync(join(folder, "s.wav"), wavOf(risingTone(), 0.1));
  writeFileSync(join(folder, "t.MP3"), risingToneMp3());
  writeFileSync(join(folder, "text.mp3"), "no sound");
  writeFileSync(join(folder, "empty.mp3"), "");
  writeFileSync(join(folder, "note.ogg"), "OggS\0\u0002");
  writeFileSync(join(folder, "large.wav"), wavOf(risingTone(), 0.1));
  truncateSync(join(folder, "large.wav"), 32 * 1024 * 1024 + 1);
  writeFileSync(join(folder, "large.png"), png);
  truncateSync(join(folder, "large.png"), 10 * 1024 * 1024 + 1);
  return { home, folder };
});

/** Returns the parts of a message: texts as they are, of others the name of the file. */
const partsOf = (content: Awaited<ReturnType<typeof attachFiles>>): readonly string[] =>
  typeof content === "string"
    ? [content]
    : content.map((part) => (part.type === "text" ? part.text : `<${part.type} ${basename(part.path)}>`));

describe("a message", () => {
  it.each([
    ["what is ./x.png?", ["what is ", "<image x.png>", "?"]],
    ["x.png", ["<image x.png>"]],
    [
      "what is said in s.wav and ./t.MP3?",
      ["what is said in ", "<sound s.wav>", " and ", "<sound t.MP3>", "?"],
    ],
    ["  compare (./x.png) with y.JPG. ", ["compare (", "<image x.png>", ") with ", "<image y.JPG>", "."]],
    ["it's '~/h.webp' isn't it", ["it's ", "<image h.webp>", " isn't it"]],
    ["see a\\ b/it\\'s\\ \\(1\\).png now", ["see ", "<image it's (1).png>", " now"]],
    ['see "a b/it\'s (1).png" now', ["see ", "<image it's (1).png>", " now"]],
    ["FOLDER/x.png", ["<image x.png>"]],
    ["no none.png, folder.png, https://example.com/x.mp3 or x.png.bak", null],
    ["why is /no/such/folder/x.png not served", null],
    ["nothing", null],
  ])("%s: has its files in the places of their paths", async (text, expected) => {
    const at = places();
    const written = text.replace("FOLDER", at.folder);
    expect(partsOf(await attachFiles([written], at))).toEqual(expected ?? [written]);
  });

  it("takes a word of the command that is a path whole, whatever blanks it has", async () => {
    const content = await attachFiles(["look", "at", "a b/it's (1).png"], places());
    expect(partsOf(content)).toEqual(["look at ", "<image it's (1).png>"]);
  });

  it.each([
    ["text.gif", "is not an image of a known type; PNG, JPEG, WebP and GIF images are read"],
    ["large.png", "is larger than the 10.5 MB that are read of an image"],
    ["large.wav", "is larger than the 33.6 MB that are read of a sound"],
    ["empty.mp3", "is empty"],
    ["text.mp3", "is neither WAV nor MP3"],
    ["note.ogg", "is Ogg; WAV and MP3 are read"],
  ])("is refused with the name of %s, which %s", async (name, problem) => {
    await expect(attachFiles([`see ${name}`], places())).rejects.toThrow(`'${name}' ${problem}`);
  });

  it.each([
    "./none.png",
    "../none.wav",
    "~/none.mp3",
    "FOLDER/none.mp3",
    "./a\\ b/none.wav",
    "'./a b/none.wav'",
  ])("is refused with the path of the missing file in: what is %s?", async (path) => {
    const at = places();
    const written = path.replace("FOLDER", at.folder);
    const plain = written.replaceAll(/['\\]/g, "");
    await expect(attachFiles([`what is ${written}?`], at)).rejects.toThrow(`there is no file '${plain}'`);
  });
});

describeMedia(`hearth run with a model that sees${withoutTerminal}${withoutMedia}`, () => {
  const settings = forFile((finished) => Promise.resolve(createUsualSettings(finished)));
  const shared = fileServer(async (finished) => {
    const models = temporaryFolder(finished);
    await writeSeeingModel(models, "gemma3");
    const folder = temporaryFolder(finished);
    const HEARTH_CONFIG = writeModelSettings(folder, {
      gemma3: { sampling: { maxTokens: 8, temperature: 0 } },
    });
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
      await terminal.waitFor(/>>> Send a message[^\n]*$/);
      terminal.type(`see ./bad.png${keys.enter}`);
      await terminal.waitFor(
        /hearth: '\.\/bad\.png' is not an image of a known type[^]*>>> Send a message[^\n]*$/,
      );
      terminal.type(`see ./x.png${keys.enter}`);
      await terminal.waitFor("Added image './x.png'");
      // While the message is answered.
      terminal.type(keys.ctrlD);
      expect(await terminal.exited).toBe(0);
      expect(await hasRead(["see ", png])).toBe(true);
    },
  );
});

describeMedia(`hearth run with a model that hears${withoutMedia}`, () => {
  const settings = forFile((finished) => Promise.resolve(createUsualSettings(finished)));
  const shared = fileServer(async (finished) => {
    const models = temporaryFolder(finished);
    await writeSeeingModel(models, "voxtral");
    const folder = temporaryFolder(finished);
    const HEARTH_CONFIG = writeModelSettings(folder, {
      voxtral: { sampling: { maxTokens: 8, temperature: 0 } },
    });
    return { environment: { ...settings(), HEARTH_MODELS: models, HEARTH_CONFIG } };
  });
  const beside = () => ({ ...settings(), HEARTH_PORT: new URL(shared().url).port });
  const run = async (words: readonly string[], folder: string, environment: NodeJS.ProcessEnv = {}) => {
    const program = runProgram(["run", ...words], { ...beside(), ...environment }, folder);
    program.child.stdin?.end();
    return { code: await program.exited, out: program.stdout().trim(), err: program.stderr() };
  };

  it("sends the sound in the place of its path", async () => {
    const folder = temporaryFolder();
    const sound = wavOf(risingTone(71), 1);
    writeFileSync(join(folder, "x.wav"), sound);
    const { code, out, err } = await run(["voxtral", "what is said? ./x.wav"], folder);
    expect([code, err]).toEqual([0, ""]);
    expect(out).not.toBe("");
    const { usage } = await look(shared(), "voxtral", ["what is said? ", sound], 1);
    const { prompt_tokens: prompt = 0, prompt_tokens_details: details } = usage ?? {};
    expect(details?.audio_tokens).toBeGreaterThan(300);
    expect(details?.cached_tokens).toBe(prompt - 1);
  });

  it("says which model does not read sound, and which one does, and sends nothing", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "x.mp3"), risingToneMp3());
    const { code, err } = await run(["hearth-tiny-5m", "what is said? ./x.mp3"], folder);
    expect([code, err]).toEqual([
      1,
      "hearth: hearth-tiny-5m does not read sound, so './x.mp3' was not sent; these models do: voxtral\n",
    ]);
  });

  it("names the file that the server refuses, and the one that makes the request too large", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "cut.wav"), wavOf(risingTone(), 1).subarray(0, 5000));
    const cut = await run(["voxtral", "what is said? ./cut.wav"], folder);
    expect([cut.code, cut.err]).toEqual([
      1,
      "hearth: './cut.wav': the sound file is cut: it states 32000 bytes of sound, and has 4956\n",
    ]);
    const large = await run(["voxtral", "./cut.wav"], folder, { HEARTH_BODY_BYTES_MAX: "2000" });
    expect([large.code, large.err]).toEqual([
      1,
      "hearth: the files of the conversation have 6.7 kB in base64, './cut.wav' the most; " +
        "a request may have 2.0 kB (setting bodyBytesMax)\n",
    ]);
  });
});
