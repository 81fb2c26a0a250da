/** The engine of a whole run of tests: `npm run conformance -- --engine llama-server` runs the flows of clients so. */
import { builtIn, spawnLlamaServer, type LlamaServer } from "./process.js";

let ofProcess: Promise<LlamaServer> | null = null;

/**
 * Returns the settings by which a server runs the built-in chat model on the llama-server of this process; none where the tests run over
 * the engine in their own process. @param environment HEARTH_* variables of the server
 */
export async function enginesOfRun(environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  if (process.env["TEST_ENGINE"] !== "llama-server") return {};
  ofProcess ??= spawnLlamaServer(builtIn.file, builtIn, atEnd);
  const { url } = await ofProcess;
  const slots = environment["HEARTH_SLOTS_PER_MODEL"];
  const limit = slots === undefined ? {} : { maxConcurrency: Number(slots) };
  return {
    HEARTH_ENGINES: JSON.stringify([{ kind: "llama-server", url, models: [builtIn.id], ...limit }]),
  };
}

/** Calls it when this process ends, also when the runner of the tests terminates it, of which `exit` says nothing. */
function atEnd(end: () => void): void {
  process.once("exit", end);
  process.once("SIGTERM", () => {
    end();
    process.exit(143);
  });
}
