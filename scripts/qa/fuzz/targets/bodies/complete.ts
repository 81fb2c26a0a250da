import { parseCompleteRequest } from "../../../../../src/dialects/anthropic-complete/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("complete", parseCompleteRequest);
