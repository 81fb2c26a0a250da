/** Models that read images themselves, in the pages of the console. */
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { temporaryFolder } from "../../../kit/folder.js";
import { projectorBytes, writeSeeingModel } from "../../../kit/models/seeing-models.js";
import { describeMedia, imageTokensOf, look, withoutMedia } from "../../../end-to-end/media/media-server.js";
import { dropImage, redCircle } from "./dropped-file.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "../open-console.js";

describeMedia(`a model that sees${withoutMedia}${withoutBrowser}`, () => {
  test("says what it reads images by, and reads what is dropped on the playground", async () => {
    const models = temporaryFolder();
    await writeSeeingModel(models, "gemma3");
    const { projector } = await writeSeeingModel(models, "internvl");
    writeFileSync(projector, projectorBytes("internvl", { text: 128 }));
    const server = await openConsole({
      environment: { HEARTH_MODELS: models },
      hasOwnEngine: true,
    });
    const { page, client, problems } = server;
    // The projector is tried with the first request.
    await client.chat.completions.create({
      model: "internvl",
      messages: [{ role: "user", content: "Hello!" }],
      max_tokens: 1,
    });
    await openByLink(page, "Models");
    const row = (name: string) => page.getByRole("row", { name });
    await row("gemma3").getByText("reads images by mmproj-gemma3.gguf").waitFor();
    await row("internvl").getByText("reads text alone").waitFor();
    await row("internvl").getByText("mmproj-internvl.gguf").waitFor();
    await expectAccessible(page);

    await openByLink(page, "Playground");
    await page.getByLabel("Model", { exact: true }).selectOption("gemma3");
    const image = await redCircle();
    await dropImage(page, image);
    await page.getByRole("textbox", { name: "Message" }).fill("hello");
    await page.keyboard.press("Enter");
    const answer = page.getByRole("article", { name: "Answer of gemma3" });
    const same = await look(server, "gemma3", [image, "hello"], 1);
    expect(imageTokensOf(same)).toBeGreaterThan(10);
    // A description would have another length.
    await answer.getByText(new RegExp(`^${same.usage?.prompt_tokens} prompt tokens`)).waitFor();
    expect(problems).toEqual([]);
  });
});
