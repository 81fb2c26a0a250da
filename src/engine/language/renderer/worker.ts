/** The process of a template renderer: renders one template at a time. */
import { types } from "node:util";
import { createContext, Script } from "node:vm";
import { threadClock } from "../../worker/thread-clock.js";
import { hostWorker } from "../../worker/host.js";
import { JinjaTemplate, type Rendering } from "../../../template/jinja.js";
import type { RenderRequest } from "./protocol.js";

let parsed: JinjaTemplate | null = null;
/** A script runs with a time limit that also ends a loop inside the library, and does not depend on the client. */
const timed: { run: () => Rendering } = { run: () => ({ type: "rejected", reason: "nothing to render" }) };
const context = createContext(timed);
const script = new Script("run()");

hostWorker<RenderRequest>({ answer: renderInTime });

function renderInTime(request: RenderRequest): Rendering {
  const { renderMsMax } = request.budget;
  timed.run = () => render(request);
  try {
    return script.runInContext(context, { timeout: renderMsMax }) as Rendering;
  } catch (thrown) {
    // An error of the script's own realm, so not an instance of this one's class.
    if (!types.isNativeError(thrown) || !("code" in thrown) || thrown.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw thrown;
    return { type: "exceeded", limit: `needs more than ${renderMsMax.toLocaleString("en-US")} ms` };
  }
}

function render({ template, variables, budget }: RenderRequest): Rendering {
  try {
    if (parsed?.source !== template)
      parsed = new JinjaTemplate(template, { cpuMs, nowMs: () => threadClock.now() });
  } catch (thrown) {
    return { type: "invalid", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  return parsed.render(variables, budget);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
