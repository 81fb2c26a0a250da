import { parseCompletionRequest } from "../../../../../src/dialects/openai-completions/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("completions", parseCompletionRequest);
