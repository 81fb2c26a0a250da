/** What rendering a chat template shows. */
import type { Model } from "../core/model.js";
import { readTemplate } from "../engine/language/prompt/read-template.js";
import { templateRenderers } from "../engine/language/renderer/renderer.js";
import { readGguf } from "../models/gguf.js";
import { systemClock } from "../system/clock.js";

/** What rendering a chat template shows, as `hearth doctor` prints it. */
export interface TemplateReport {
  /** What it needs of an ordinary conversation: names of repairs. */
  readonly repairs: readonly string[];
  /** A call as the model writes it; null for a model without a template of its own. */
  readonly call: string | null;
  /** The marks around the reasoning; null when the model never reasons. */
  readonly reasoning: string | null;
}

const templateKey = "tokenizer.chat_template";

/** Reads the chat template of a GGUF model as a load does, in a process of its own. */
export async function readModelTemplate({ path, manifest, load }: Model): Promise<TemplateReport> {
  const result = manifest.kind === "chat" && path !== "" ? await readGguf(path) : null;
  const header = result?.ok === true ? result.header : null;
  const source = header === null ? null : (load?.template ?? header.metadata.values.get(templateKey));
  // Without a template, Hearth's own is used.
  if (typeof source !== "string") return { repairs: [], call: null, reasoning: null };
  const workerUrl = new URL("../engine/language/renderer/worker.js", import.meta.url);
  const open = templateRenderers({ clock: systemClock, workerUrl, log: () => undefined });
  const renderer = open(source);
  try {
    const texts = { bosText: "", eosText: "", endTexts: [] };
    const { repairs, template, reasoning } = await readTemplate(source, renderer, texts);
    const marks = reasoning === null ? null : `${reasoning.open}...${reasoning.close}`;
    return { repairs, call: template.tools.example, reasoning: marks };
  } finally {
    await renderer.close();
  }
}
