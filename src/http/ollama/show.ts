/** POST /api/show, as Ollama has it: what is known of a model. */
import { z } from "zod";
import { authorise } from "../../accounts/principals/permissions.js";
import { isGgufKind, type Model } from "../../core/model.js";
import { validFields } from "../../dialects/field-error.js";
import { responseObject } from "../../dialects/response-fields.js";
import { type GgufHeader, readGguf } from "../../models/gguf.js";
import { readDetails } from "../../models/library/details.js";
import { visibleModel } from "../../answers/visible-models.js";
import { capabilitiesField, detailsSchema, listCapabilities, namedFields, presentDetails } from "./model.js";
import { knownName, requireName } from "./names.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const showRequest = z.object(namedFields).meta({ id: "OllamaShowRequest" });

const shownModel = responseObject({
  license: z.string(),
  modelfile: z.string().describe("The name, the template and the parameters in the form of a Modelfile."),
  parameters: z
    .string()
    .describe("Settings of the model for requests that do not say otherwise, one on a line."),
  template: z.string().describe("The Jinja chat template."),
  system: z.string().describe("System message of conversations that have none."),
  details: detailsSchema,
  model_info: z
    .record(z.string(), z.unknown())
    .describe("Metadata of the GGUF file; null for long lists. The length of the context is what is served."),
  capabilities: capabilitiesField,
  modified_at: z.iso.datetime(),
}).meta({ id: "OllamaShownModel" });

/** Returns what is known of a model. */
export const showOllamaModel = apiKeyRoute({
  method: "POST",
  path: "/api/show",
  acl: "models",
  ...ollamaClients,
  docs: {
    operation: "showOllamaModel",
    tag: "Ollama",
    summary: "Show what is known of a model",
    body: showRequest,
    example: { model: "hearth-tiny-5m" },
    answers: { 200: { description: "The model.", schema: shownModel } },
  },
  async handle({ ctx, principal, body, route }, { models }) {
    const name = knownName(models, requireName(validFields(showRequest, body)));
    authorise(principal, { endpoint: route.acl, model: null });
    const model = visibleModel(models, principal, name);
    const details = await readDetails(model);
    const header = await readHeader(model);
    const template = model.load?.template ?? details.chatTemplate ?? "";
    const parameters = listParameters(model);
    const answer: z.infer<typeof shownModel> = {
      license: details.origin?.license ?? model.manifest.license,
      modelfile: writeModelfile(model, template, parameters),
      parameters: parameters.join("\n"),
      template,
      system: model.defaults?.system ?? "",
      details: presentDetails(model, details),
      model_info: listMetadata(model, header, details.parameters),
      capabilities: listCapabilities(model, fillsGaps(header)),
      modified_at: new Date(model.manifest.created * 1000).toISOString(),
    };
    ctx.body = answer;
  },
});

async function readHeader({ manifest, path }: Model): Promise<GgufHeader | null> {
  if (!isGgufKind(manifest.kind)) return null;
  const result = await readGguf(path);
  return result.ok ? result.header : null;
}

/** The names of Ollama's options, by the server's settings. */
const optionNames = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  minP: "min_p",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
  seed: "seed",
} as const;

function listParameters({ manifest, defaults }: Model): readonly string[] {
  const sampling = defaults?.sampling ?? {};
  const names = Object.keys(optionNames) as (keyof typeof optionNames)[];
  const stated = names.flatMap((name) => {
    const value = sampling[name];
    return value == null ? [] : [`${optionNames[name]} ${value}`];
  });
  const limit = defaults?.maxTokens === undefined ? [] : [`num_predict ${defaults.maxTokens}`];
  return [`num_ctx ${manifest.contextTokens}`, ...stated, ...limit];
}

function writeModelfile(
  { manifest, defaults }: Model,
  template: string,
  parameters: readonly string[],
): string {
  const lines = [
    `FROM ${manifest.id}`,
    ...(template === "" ? [] : [`TEMPLATE """${template}"""`]),
    ...(defaults?.system === undefined ? [] : [`SYSTEM """${defaults.system}"""`]),
    ...parameters.map((parameter) => `PARAMETER ${parameter}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The chat template is long, and is a field of its own. */
const templateKey = "tokenizer.chat_template";

/** Clients read the name, the architecture and the context of every model, whatever its file has. */
function listMetadata(
  { manifest }: Model,
  header: GgufHeader | null,
  parameters: number | null,
): Record<string, unknown> {
  const known = {
    "general.architecture": manifest.family,
    "general.basename": manifest.name,
    ...(parameters === null ? {} : { "general.parameter_count": parameters }),
  };
  const listed: Record<string, unknown> = { ...known, ...listHeader(header) };
  const key = `${String(listed["general.architecture"])}.context_length`;
  const trained = listed[key];
  const served = manifest.contextTokens;
  return { ...listed, [key]: typeof trained === "number" ? Math.min(trained, served) : served };
}

function listHeader(header: GgufHeader | null): Record<string, unknown> {
  if (header === null) return {};
  const { values, arrayLengths } = header.metadata;
  const short = [...values].filter(([key]) => key !== templateKey);
  const long = [...arrayLengths.keys()].filter((key) => !values.has(key)).map((key) => [key, null] as const);
  return { ...Object.fromEntries(long), ...Object.fromEntries(short) };
}

/** Tokens of a model that fills gaps in texts. */
const gapTokens = ["tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id"];

function fillsGaps(header: GgufHeader | null): boolean {
  return gapTokens.some((key) => header?.metadata.values.has(key) === true);
}
