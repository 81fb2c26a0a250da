import { LRUCache } from "lru-cache";
import { loadKey, type Model } from "../../core/model.js";
import { readDetails, type ModelCard } from "./details.js";

const cardsMax = 4096;

/** Returns a function that reads the files of a model once, until they change. Never rejects because of what they contain. */
export function createCardReader(): (model: Model) => Promise<ModelCard> {
  const cards = new LRUCache<string, ModelCard>({ max: cardsMax });
  return async (model) => {
    const known = cards.get(loadKey(model));
    if (known !== undefined) return known;
    const { parameters, quantization, sha256 } = await readDetails(model);
    const card = { parameters, quantization, sha256 };
    cards.set(loadKey(model), card);
    return card;
  };
}
