/** The engine of a whole run of tests: `npm run conformance -- --engine llama-server` runs those of clients so. */
import { fileURLToPath } from "node:url";
import { startLlamaServer, type LlamaServer } from "./start.js";

const model = "hearth-tiny-5m";
const file = fileURLToPath(new URL(`../../../../models/${model}/${model}.gguf`, import.meta.url));
/** Of the built-in model, with the scaling that its manifest names. */
const contextTokens = 8192;
const scaling = ["--rope-scaling", "yarn", "--rope-scale", "4", "--yarn-orig-ctx", "2048"];

let ofProcess: Promise<LlamaServer> | null = null;

/**
 * Returns the settings by which a server runs the built-in chat model on the llama-server of this process; none where the tests run over
 * the engine in their own process. @param environment HEARTH_* variables of the server
 */
export async function enginesOfRun(environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  if (process.env["TEST_ENGINE"] !== "llama-server") return {};
  ofProcess ??= startLlamaServer(file, { contextTokens, args: [...scaling, "--cache-ram", "0"] }, atEnd);
  const { url } = await ofProcess;
  const slots = environment["HEARTH_SLOTS_PER_MODEL"];
  const limit = slots === undefined ? {} : { maxConcurrency: Number(slots) };
  return { HEARTH_ENGINES: JSON.stringify([{ kind: "llama-server", url, models: [model], ...limit }]) };
}

/** Calls it when this process ends, also when the runner of the tests terminates it, of which `exit` says nothing. */
function atEnd(end: () => void): void {
  process.once("exit", end);
  process.once("SIGTERM", () => {
    end();
    process.exit(143);
  });
}
