import { createGrounding } from "../src/inference/prompt/captioning.js";

const never = (): never => {
  throw new Error("nobody is there to see");
};

/** The grounding of a server without a model that sees: it is asked for nothing but words. */
export const blind = createGrounding({
  fetcher: { fetch: never },
  decoder: { decode: never },
  vision: { describe: never, residents: () => [], close: () => Promise.resolve() },
  seer: null,
  imagesMax: 8,
});
