import { seeded } from "../models/gguf-writer/weights.js";
import { drawScene, type Scene, type SceneTerms } from "./scene.js";
import { captionOf, isHeldOut } from "./sentences.js";

/** Returns scenes with held-out captions without duplicates, always the same ones. */
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
