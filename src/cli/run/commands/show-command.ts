/** `/show`: prints what is known of the model and of the chat. */
import { z } from "zod";
import { sectionsText } from "../../models/sections.js";
import { askServer, ServerError } from "../../server/client.js";
import type { ChatCommandIo } from "./command-io.js";
import { needsOllamaApi, type ChatSession } from "../session.js";
import { describeParameters } from "../settings.js";

const shownModel = z.object({
  license: z.string(),
  parameters: z.string(),
  template: z.string(),
  system: z.string(),
  details: z.object({ family: z.string(), parameter_size: z.string(), quantization_level: z.string() }),
  model_info: z.record(z.string(), z.unknown()),
  capabilities: z.array(z.string()),
});
type ShownModel = z.infer<typeof shownModel>;

const subjects: Readonly<Record<string, (model: ShownModel, session: ChatSession) => string>> = {
  info: describeModel,
  parameters: describeOwnParameters,
  system: ({ system }, { settings }) => settings.system ?? (system || "No system message."),
  template: ({ template }) => template || "No chat template.",
  license: ({ license }) => license || "No license is known.",
};

export async function runShow(rest: string, session: ChatSession, { out }: ChatCommandIo): Promise<void> {
  const name = rest === "" ? "info" : rest;
  const describe = Object.hasOwn(subjects, name) ? subjects[name] : undefined;
  if (describe === undefined)
    throw new Error(`/show has no '${rest}'; it has ${Object.keys(subjects).join(", ")}`);
  const body = { model: session.model };
  const answer = await askServer(session.server, "/api/show", { method: "POST", body }).catch(
    (thrown: unknown) => {
      const isAbsent = thrown instanceof ServerError && thrown.status === 404;
      throw isAbsent ? new Error(`/show ${needsOllamaApi}`, { cause: thrown }) : thrown;
    },
  );
  const model = shownModel.parse(answer);
  out.write(`${describe(model, session).trimEnd()}\n`);
}

function describeModel(model: ShownModel, session: ChatSession): string {
  const { details, model_info: info, capabilities, license } = model;
  const context = Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1];
  const rows: readonly (readonly [string, string])[] = [
    ["id", session.model],
    ["architecture", details.family],
    ["parameters", details.parameter_size],
    ["quantization", details.quantization_level],
    ["context", typeof context === "number" ? `${context} tokens` : ""],
    ["capabilities", capabilities.join(", ")],
    ["license", license],
  ];
  const system = session.settings.system ?? model.system;
  return sectionsText([
    ["Model", rows.filter(([, value]) => value !== "")],
    ["Parameters", listParameters(model, session)],
    ["System", system === "" ? [] : [["message", system.replaceAll("\n", " ")]]],
  ]);
}

function describeOwnParameters(model: ShownModel, session: ChatSession): string {
  const width = Math.max(0, ...listParameters(model, session).map(([name]) => name.length));
  return listParameters(model, session)
    .map(([name, value]) => `${name.padEnd(width)}   ${value}\n`)
    .join("");
}

/** Parameters of this chat, then the model's own. */
function listParameters(
  { parameters }: ShownModel,
  { settings }: ChatSession,
): readonly (readonly [string, string])[] {
  const stated = describeParameters(settings.parameters);
  const names = new Set(stated.map(([name]) => name));
  const own = parameters.split("\n").flatMap((line): readonly (readonly [string, string])[] => {
    const [name = "", ...value] = line.split(" ");
    return name === "" || name === "num_ctx" || names.has(name) ? [] : [[name, value.join(" ")]];
  });
  return [...stated.map(([name, value]) => [name, `${value}   (this chat)`] as const), ...own];
}
