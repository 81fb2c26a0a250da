/** GET /api/version, as Ollama has it. Clients compare the version with the one that they need. */
import { z } from "zod";
import { responseObject } from "../../dialects/response-fields.js";
import { ollamaClients } from "./clients.js";
import { publicRoute } from "../server/route.js";

/** The version of Ollama whose interface this is. */
const interfaceVersion = "0.34.3";

const versions = responseObject({
  version: z.string().describe("The version of Ollama whose interface is served."),
  hearth: z.string().describe("The version of this server."),
}).meta({ id: "OllamaVersion" });

/** Returns the versions. */
export const getOllamaVersion = publicRoute({
  method: "GET",
  path: "/api/version",
  ...ollamaClients,
  docs: {
    operation: "getOllamaVersion",
    tag: "Ollama",
    summary: "Get the version of the interface",
    answers: { 200: { description: "The versions.", schema: versions } },
  },
  handle({ ctx }, { version }) {
    const answer: z.infer<typeof versions> = { version: interfaceVersion, hearth: version };
    ctx.body = answer;
  },
});
