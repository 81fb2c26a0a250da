import { parseMessagesRequest } from "../../../../../src/dialects/anthropic-messages/parse.js";
import { bodyTarget } from "./body-target.js";

export const target = bodyTarget("messages", parseMessagesRequest);
