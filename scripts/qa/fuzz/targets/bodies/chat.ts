import { parseChatRequest } from "../../../../../src/dialects/openai-chat/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("chat", parseChatRequest);
