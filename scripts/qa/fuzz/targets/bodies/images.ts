import { parseImageRequest } from "../../../../../src/dialects/openai-images/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("images", parseImageRequest);
