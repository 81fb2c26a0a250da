/** Sound files on the playground. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { describeMedia, look, withoutMedia } from "../../../end-to-end/media/media-server.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { writeSeeingModel } from "../../../kit/models/seeing-models.js";
import { risingTone, risingToneMp3, wavOf } from "../../../kit/sound-files.js";
import { dropFile } from "./dropped-file.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "../open-console.js";

const completions = "**/console/api/v1/chat/completions";
const wav = { name: "x.wav", type: "audio/x-wav" };

async function openPlayground(model: string) {
  const models = temporaryFolder();
  await writeSeeingModel(models, "voxtral");
  const opened = await openConsole({ environment: { HEARTH_MODELS: models }, hasOwnEngine: true });
  await openByLink(opened.page, "Playground");
  await choose(opened.page, model);
  return opened;
}

async function choose(page: Page, model: string): Promise<void> {
  await page.getByLabel("Model", { exact: true }).selectOption(model);
}

describeMedia(`the playground with a model that hears${withoutMedia}${withoutBrowser}`, () => {
  test("sends the sounds that are dropped or chosen, and not one that is removed", async () => {
    const server = await openPlayground("voxtral");
    const { page, problems } = server;
    const sound = wavOf(risingTone(81), 1);
    await dropFile(page, sound, wav);
    await page.getByLabel("Images and sounds", { exact: true }).setInputFiles([
      { name: "y.mp3", mimeType: "audio/mpeg", buffer: risingToneMp3() },
      { name: "z.wav", mimeType: "audio/wav", buffer: wavOf(risingTone(82), 1) },
    ]);
    await page.getByLabel("z.wav", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove z.wav" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Remove y.mp3" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("hello");
    const [sent] = await Promise.all([page.waitForRequest(completions), page.keyboard.press("Enter")]);
    expect(sent.postDataJSON()).toMatchObject({
      messages: [
        {
          content: [
            { type: "input_audio", input_audio: { data: sound.toString("base64"), format: "wav" } },
            { type: "text", text: "hello" },
          ],
        },
      ],
    });
    const answer = page.getByRole("article", { name: "Answer of voxtral" });
    const same = await look(server, "voxtral", [sound, "hello"], 1);
    await answer.getByText(new RegExp(`^${same.usage?.prompt_tokens} prompt tokens`)).waitFor();
    await page.getByRole("article", { name: "Your message" }).getByLabel("x.wav").waitFor();
    expect(problems).toEqual([]);
  });

  test("says which model does not read a sound, and which one does, and sends none", async () => {
    const { page, problems } = await openPlayground("hearth-tiny-5m");
    await dropFile(page, risingToneMp3(), { name: "x.mp3", type: "audio/mpeg" });
    const refusal = "hearth-tiny-5m does not read sound. These models do: voxtral.";
    await page.getByText(`“x.mp3” was not added. ${refusal}`).waitFor();
    expect(await page.getByRole("button", { name: "Remove x.mp3" }).count()).toBe(0);
    await choose(page, "voxtral");
    await dropFile(page, risingToneMp3(), { name: "x.mp3", type: "" });
    await page.getByRole("button", { name: "Remove x.mp3" }).waitFor();
    await choose(page, "hearth-tiny-5m");
    await page.getByText(`${refusal} The conversation has “x.mp3”.`).waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await choose(page, "voxtral");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(false);
    await dropFile(page, Buffer.from("OggS"), { name: "note.ogg", type: "audio/ogg" });
    await page.getByText("“note.ogg” is no image (PNG, JPEG, WebP, GIF) and no sound (WAV, MP3).").waitFor();
    expect(problems).toEqual([]);
  });
});
