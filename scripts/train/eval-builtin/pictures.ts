/**
 * Evaluates the built-in vision and image models on scenes of the world that they were trained on, with
 * held-out captions.
 * `see`: every thing of a picture is named by colour and shape; `see-exact`: the whole caption is right;
 * `read`: a picture of a number or a short word is captioned exactly.
 * `draw`: the caption of an image generated from a caption has the right number, shape, colour and place of
 * everything and the right ground; `draw-exact`: the sizes too; `draw-loose`: the same for a looser request,
 * in all that it specifies.
 * `loop`: the chat model names colour and shape of everything requested, for an image generated from such a
 * request.
 */
import type OpenAI from "openai";
import sharp from "sharp";
import type { DecodedImage } from "../../../src/core/images/images.js";
import { seeded } from "../../../test/kit/models/gguf-writer/weights.js";
import type { Outcome } from "./ask.js";
import { openEye, type Eye } from "./eye.js";
import type { Answer } from "./grade.js";
import { sizeless, unlike } from "./likeness.js";
import { drawn, goRound } from "./loop.js";
import { drawRequest } from "./picture-requests.js";
import { heldOutScenes } from "../../../test/kit/pictures/held-out.js";
import { render } from "../../../test/kit/pictures/render.js";
import { captionOf, isHeldOut, nounsOf } from "../../../test/kit/pictures/sentences.js";
import { captionOfSign, drawSign, hasFonts, renderSign } from "./sign.js";

export const pictureSkills: readonly string[] = [
  ...["see", "see-exact", "read", "draw", "draw-exact", "draw-loose", "loop"],
];

const seenCount = 300;
const readCount = 200;
const drawnCount = 200;
const loopCount = 200;
const side = 128;
/** Scenes as the captioner was trained on: varied colours, and things that fill the picture. */
const seenTerms = { freeColors: true, largeMax: 0.44 };
/** Scenes as the painter was trained on. */
const drawnTerms = { freeColors: false, largeMax: 0.28 };

/** The outcomes of the pictures, under the name of the evaluated model. */
export interface PictureOutcomes {
  readonly model: string;
  readonly outcomes: readonly Outcome[];
}

/**
 * Evaluates the available models on pictures.
 * @param skills the selected ones of `pictureSkills`
 */
export async function askPictures(
  client: OpenAI,
  skills: readonly string[],
): Promise<readonly PictureOutcomes[]> {
  const told: PictureOutcomes[] = [];
  const isWanted = (skill: string): boolean => skills.includes(skill);
  const wanted = (outcomes: readonly Outcome[]): readonly Outcome[] =>
    outcomes.filter(({ item }) => isWanted(item.skill));
  const eye = await openEye();
  try {
    const seen = [
      ...(isWanted("see") || isWanted("see-exact") ? await see(eye) : []),
      ...(isWanted("read") ? await read(eye) : []),
    ];
    if (seen.length > 0) told.push({ model: eye.model, outcomes: wanted(seen) });
    const painter = await findFirstModel(client, "/image-generation-models");
    if (painter === null) process.stderr.write("eval:builtin: no built-in model draws\n");
    else {
      const pictures = [
        ...(isWanted("draw") || isWanted("draw-exact") ? await draw(client, painter, eye) : []),
        ...(isWanted("draw-loose") ? await drawLoose(client, painter, eye) : []),
      ];
      if (pictures.length > 0) told.push({ model: painter, outcomes: wanted(pictures) });
      const chat = await findFirstModel(client, "/language-models");
      if (chat !== null && isWanted("loop"))
        told.push({ model: "all three", outcomes: await loop(client, painter, chat) });
    }
    return told;
  } finally {
    await eye.close();
  }
}

/** Returns the id of the first model of a list. */
async function findFirstModel(client: OpenAI, list: string): Promise<string | null> {
  const listed = await client.get(list);
  const { models } = listed as { readonly models: readonly { readonly id: string }[] };
  return models[0]?.id ?? null;
}

async function see(eye: Eye): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const scene of heldOutScenes(seenCount, 1, seenTerms)) {
    const caption = captionOf(scene);
    const look = await looked(eye, render(scene, side));
    const missing = nounsOf(scene).filter((noun) => !look.text.includes(noun));
    outcomes.push(
      createOutcome("see", caption, look, lacking(missing)),
      createOutcome("see-exact", caption, look, same(look.text, caption)),
    );
  }
  return outcomes;
}

async function read(eye: Eye): Promise<readonly Outcome[]> {
  const chance = seeded(3);
  const outcomes: Outcome[] = [];
  if (!(await hasFonts())) {
    process.stderr.write("eval:builtin: there are no fonts to write with, so nothing to read\n");
    return outcomes;
  }
  while (outcomes.length < readCount) {
    const sign = drawSign(chance);
    const caption = captionOfSign(sign);
    if (!isHeldOut(caption)) continue;
    const look = await looked(eye, await renderSign(sign, side));
    outcomes.push(createOutcome("read", caption, look, same(look.text, caption)));
  }
  return outcomes;
}

async function draw(client: OpenAI, model: string, eye: Eye): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [seed, scene] of heldOutScenes(drawnCount, 2, drawnTerms).entries()) {
    const caption = captionOf(scene);
    const look = await looked(eye, () => painted(client, model, caption, seed));
    outcomes.push(
      createOutcome("draw", caption, look, same(sizeless(look.text), sizeless(caption))),
      createOutcome("draw-exact", caption, look, same(look.text, caption)),
    );
  }
  return outcomes;
}

async function drawLoose(client: OpenAI, model: string, eye: Eye): Promise<readonly Outcome[]> {
  const chance = seeded(4);
  const outcomes: Outcome[] = [];
  for (let seed = 0; seed < drawnCount; seed += 1) {
    const request = drawRequest(chance);
    const look = await looked(eye, () => painted(client, model, request.prompt, seed));
    outcomes.push(createOutcome("draw-loose", request.prompt, look, unlike(look.text, request)));
  }
  return outcomes;
}

async function loop(client: OpenAI, painter: string, chat: string): Promise<readonly Outcome[]> {
  const rounds = await goRound(client, { painter, chat }, loopCount);
  return rounds.map(({ prompt, answer, lacks, seconds }) =>
    createOutcome("loop", prompt, { text: answer, tokens: 0, seconds }, lacking(lacks)),
  );
}

async function painted(client: OpenAI, model: string, prompt: string, seed: number): Promise<DecodedImage> {
  const file = sharp(Buffer.from(await drawn(client, model, prompt, seed), "base64"));
  const { data, info } = await file.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

interface Look {
  readonly text: string;
  readonly tokens: number;
  readonly seconds: number;
}

/** Returns the caption of a picture; the time includes rendering it if necessary. */
async function looked(eye: Eye, picture: DecodedImage | (() => Promise<DecodedImage>)): Promise<Look> {
  const began = performance.now();
  const { text, tokens } = await eye.describe(typeof picture === "function" ? await picture() : picture);
  return { text, tokens, seconds: (performance.now() - began) / 1000 };
}

function same(said: string, expected: string): readonly string[] {
  return said === expected ? [] : [`is not ${JSON.stringify(expected)}`];
}

function lacking(words: readonly string[]): readonly string[] {
  return words.map((word) => `lacks ${JSON.stringify(word)}`);
}

function createOutcome(skill: string, asked: string, look: Look, lacks: readonly string[]): Outcome {
  const { text, tokens, seconds } = look;
  const answer: Answer = { content: text, reasoning: "", finishReason: "stop", toolCalls: [] };
  const item = { skill, messages: [{ role: "user", content: asked }], reasoning: false, expect: {} };
  return { item, state: lacks.length === 0 ? "passed" : "failed", lacks, answer, tokens, seconds };
}
