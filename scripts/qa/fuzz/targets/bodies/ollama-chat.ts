import { parseOllamaChat } from "../../../../../src/dialects/ollama/chat/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("ollama-chat", parseOllamaChat);
