/**
 * How well the built-in models see and draw, over scenes of the world that they were trained on whose captions were kept out of
 * training. `see` is a picture in which every thing is named by colour and shape, `see-exact` one whose whole caption is right;
 * `draw` and `draw-exact` are the same of what the painter made of a caption, as the captioner sees it.
 */
import type OpenAI from "openai";
import sharp from "sharp";
import type { Picture } from "../../src/core/images.js";
import { seeded } from "../../test/gguf-writer/weights.js";
import type { Outcome } from "./ask.js";
import { openEye, type Eye } from "./eye.js";
import { shortcomings } from "./grade.js";
import type { Item } from "./items.js";
import { render } from "./world/render.js";
import { drawScene, type Scene, type SceneTerms } from "./world/scene.js";
import { captionOf, isHeldOut, nounsOf } from "./world/sentences.js";

export const pictureSkills: readonly string[] = ["see", "see-exact", "draw", "draw-exact"];

const seenCount = 300;
const drawnCount = 100;
const side = 128;
/** As the captioner was trained: people's colours, and things that fill the picture. */
const seenTerms = { freeColors: true, largeMax: 0.44 };
/** As the painter was. */
const drawnTerms = { freeColors: false, largeMax: 0.28 };

/** What came of the pictures, under the name of the model that it is about. */
export interface PictureOutcomes {
  readonly model: string;
  readonly outcomes: readonly Outcome[];
}

/** Scenes of held-out captions, none of them twice, always the same ones. */
export function heldOutScenes(count: number, seed: number, terms: SceneTerms): readonly Scene[] {
  const chance = seeded(seed);
  const scenes = new Map<string, Scene>();
  while (scenes.size < count) {
    const scene = drawScene(chance, terms);
    const caption = captionOf(scene);
    if (isHeldOut(caption)) scenes.set(caption, scene);
  }
  return [...scenes.values()];
}

/**
 * Asks the models that there are about pictures.
 * @param skills those of `pictureSkills` that are wanted.
 */
export async function askPictures(
  client: OpenAI,
  skills: readonly string[],
): Promise<readonly PictureOutcomes[]> {
  const told: PictureOutcomes[] = [];
  const eye = await openEye();
  try {
    if (skills.some((skill) => skill.startsWith("see")))
      told.push({ model: eye.model, outcomes: wanted(await see(eye), skills) });
    if (skills.some((skill) => skill.startsWith("draw"))) {
      const painter = await painterOf(client);
      if (painter === null) process.stderr.write("eval:builtin: no built-in model draws\n");
      else told.push({ model: painter, outcomes: wanted(await draw(client, painter, eye), skills) });
    }
    return told;
  } finally {
    await eye.close();
  }
}

function wanted(outcomes: readonly Outcome[], skills: readonly string[]): readonly Outcome[] {
  return outcomes.filter(({ item }) => skills.includes(item.skill));
}

async function painterOf(client: OpenAI): Promise<string | null> {
  const listed = await client.get("/image-generation-models");
  const { models } = listed as { readonly models: readonly { readonly id: string }[] };
  return models[0]?.id ?? null;
}

async function see(eye: Eye): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const scene of heldOutScenes(seenCount, 1, seenTerms))
    outcomes.push(...(await judged("see", scene, eye, () => render(scene, side))));
  return outcomes;
}

async function draw(client: OpenAI, model: string, eye: Eye): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [seed, scene] of heldOutScenes(drawnCount, 2, drawnTerms).entries()) {
    const body = { model, prompt: captionOf(scene), response_format: "b64_json", seed } as const;
    const painted = async (): Promise<Picture> => {
      const [image] = (await client.images.generate(body)).data ?? [];
      return pixelsOf(Buffer.from(image?.b64_json ?? "", "base64"));
    };
    outcomes.push(...(await judged("draw", scene, eye, painted)));
  }
  return outcomes;
}

async function pixelsOf(file: Buffer): Promise<Picture> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

/** Two outcomes of one picture: whether all is named, and whether all is right. */
async function judged(
  skill: "see" | "draw",
  scene: Scene,
  eye: Eye,
  picture: () => Picture | Promise<Picture>,
): Promise<readonly Outcome[]> {
  const began = performance.now();
  const { text, tokens } = await eye.describe(await picture());
  const seconds = (performance.now() - began) / 1000;
  const answer = { content: text, reasoning: "", finishReason: "stop", toolCalls: [] };
  const expected = {
    [skill]: { contains: [...nounsOf(scene)] },
    [`${skill}-exact`]: { exact: captionOf(scene) },
  };
  return Object.entries(expected).map(([name, expect]): Outcome => {
    const lacks = shortcomings(answer, expect);
    const state = lacks.length === 0 ? "passed" : "failed";
    return { item: itemOf(name, scene, expect), state, lacks, answer, tokens, seconds };
  });
}

function itemOf(skill: string, scene: Scene, expect: Item["expect"]): Item {
  return { skill, messages: [{ role: "user", content: captionOf(scene) }], reasoning: false, expect };
}
