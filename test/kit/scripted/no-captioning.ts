import { createCaptioning } from "../../../src/inference/prompt/captioning.js";

const never = (): never => {
  throw new Error("there is no vision model");
};

/** Captioning of a server without a vision model, for requests without images. */
export const noCaptioning = createCaptioning({
  fetcher: { fetch: never },
  decoder: { decode: never },
  vision: { describe: never, residents: () => [], close: () => Promise.resolve() },
  visionModel: () => null,
  imagesMax: 8,
});
