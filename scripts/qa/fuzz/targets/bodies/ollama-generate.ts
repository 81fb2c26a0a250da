import { parseOllamaGenerate } from "../../../../../src/dialects/ollama/generate/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("ollama-generate", parseOllamaGenerate);
