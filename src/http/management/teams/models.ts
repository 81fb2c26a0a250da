/** GET /auth/teams/{teamId}/models: the models that keys of a team can have access to. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { modelNames, teamGrants } from "../../../accounts/principals/permissions.js";
import { type Limits, noLimits } from "../../../core/limits.js";
import { everyModel, type TeamLimits } from "../../../accounts/principals/team-limit.js";
import type { Modality, Model, ModelKind } from "../../../core/model.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import { clusterName } from "../../../dialects/management/answers.js";
import { managementRoute } from "../../server/route.js";

const modalities = responseArray(z.enum(["TEXT", "IMAGE", "AUDIO"]));
const price = z.string().describe("Cents of a US dollar for 100 million tokens.");
const limit = z.string().describe("0 = no limit.");
const limitFields = { rps: limit, rpm: limit, tpm: limit, cluster: z.string() };
const imagePrice = z.string();
const none = z.array(z.never()).max(0).readonly();

const languageModel = responseObject({
  name: z.string(),
  version: z.string(),
  inputModalities: modalities,
  outputModalities: modalities,
  promptTextTokenPrice: price,
  promptImageTokenPrice: price,
  promptTextTokenPriceLongContext: price,
  cachedPromptTokenPrice: price,
  cachedPromptTokenPriceLongContext: price,
  completionTextTokenPrice: price,
  completionTokenPriceLongContext: price,
  searchPrice: price,
  ...limitFields,
  maxPromptLength: countField("Context size, in tokens."),
  aliases: responseArray(z.string()),
  features: responseObject({
    functionCalling: z.boolean(),
    structuredOutputs: z.boolean(),
    reasoning: z.boolean(),
  }),
  algorithm: z.string(),
}).meta({ id: "ClusterLanguageModel" });

const embeddingModel = responseObject({
  name: z.string(),
  version: z.string(),
  inputModalities: modalities,
  outputModalities: responseArray(z.literal("EMBEDDING")),
  promptTextTokenPrice: price,
  promptImageTokenPrice: price,
  ...limitFields,
  maxPromptLength: countField("Context size, in tokens."),
  aliases: responseArray(z.string()),
}).meta({ id: "ClusterEmbeddingModel" });

const imageModel = responseObject({
  name: z.string(),
  version: z.string(),
  inputModalities: modalities,
  outputModalities: modalities,
  imagePrice: imagePrice.describe("Price of one image in 1/100,000,000 of a cent, which is one tick."),
  ...limitFields,
  aliases: responseArray(z.string()),
  resolutionPricing: responseArray(
    responseObject({
      resolution: z.enum(["IMAGE_RESOLUTION_1K", "IMAGE_RESOLUTION_2K"]),
      pricePerImage: imagePrice.describe("In 1/100,000,000 of a cent."),
    }).meta({ id: "ResolutionPrice" }),
  ).describe("An image has the same price at every resolution."),
}).meta({ id: "ClusterImageModel" });

const clustersSchema = responseObject({
  clusterConfigs: responseArray(
    responseObject({
      languageModels: responseArray(languageModel).describe("In order of id."),
      embeddingModels: responseArray(embeddingModel).describe("In order of id."),
      imageGenerationModels: responseArray(imageModel).describe("In order of id."),
      audioModels: none,
      videoGenerationModels: none,
      clusterName: z.string(),
    }).meta({ id: "ClusterConfig" }),
  ),
}).meta({ id: "ClusterConfigs" });

export type WireTeamModels = z.infer<typeof clustersSchema>;

/** Lists the models. */
export const listTeamModels = managementRoute({
  method: "GET",
  path: "/auth/teams/:teamId/models",
  acl: "ListModels",
  docs: {
    operation: "listTeamModels",
    tag: "Accounts",
    summary: "List the models that a team can use",
    params: { teamId: "Id of a team that the management key may manage." },
    answers: { 200: { description: "The models by cluster; there is one cluster.", schema: clustersSchema } },
  },
  async handle({ ctx, manager, params }, { accounts, models }) {
    const [teamId, actor] = [params["teamId"] ?? "", toActor(manager)];
    const limits = await accounts.teamLimits.list(teamId, actor);
    const { team, groups } = await accounts.teams.findAccess(teamId, actor);
    const granted = models
      .list()
      .filter((model) =>
        teamGrants(team, groups, { endpoint: null, model: modelNames(model.manifest.id, model) }),
      );
    const listModels = (kind: ModelKind) => granted.filter(({ manifest }) => manifest.kind === kind);
    const languageModels = listModels("chat").map((model) => present(model, limitsOn(limits, model)));
    const imageGenerationModels = listModels("image").map((model) =>
      presentImageModel(model, limitsOn(limits, model)),
    );
    const embeddingModels = listModels("embedding").map((model) =>
      presentEmbeddingModel(model, limitsOn(limits, model)),
    );
    const others = { audioModels: [], videoGenerationModels: [] };
    const answer: WireTeamModels = {
      clusterConfigs: [{ languageModels, embeddingModels, imageGenerationModels, ...others, clusterName }],
    };
    ctx.body = answer;
  },
});

/** Returns the limits on the model itself, otherwise those for every model. */
function limitsOn(limits: readonly TeamLimits[], { manifest }: Model): Limits {
  const of = (name: string) => limits.find(({ model }) => model === name);
  return of(manifest.id) ?? of(everyModel) ?? noLimits;
}

/** Presents a language model. Prices do not depend on the length of the context. */
function present({ manifest }: Model, limits: Limits): z.infer<typeof languageModel> {
  const { prices, capabilities } = manifest;
  const prompt = String(prices.promptTextTokenTicks);
  const cached = String(prices.cachedPromptTextTokenTicks);
  const completion = String(prices.completionTextTokenTicks);
  return {
    name: manifest.id,
    version: manifest.version,
    inputModalities: manifest.inputModalities.map((each) => modalityNames[each]),
    outputModalities: manifest.outputModalities.map((each) => modalityNames[each]),
    promptTextTokenPrice: prompt,
    promptImageTokenPrice: manifest.inputModalities.includes("image") ? prompt : "0",
    promptTextTokenPriceLongContext: prompt,
    cachedPromptTokenPrice: cached,
    cachedPromptTokenPriceLongContext: cached,
    completionTextTokenPrice: completion,
    completionTokenPriceLongContext: completion,
    searchPrice: "0",
    ...presentLimits(limits),
    maxPromptLength: manifest.contextTokens,
    aliases: manifest.aliases,
    features: {
      functionCalling: capabilities.tools,
      structuredOutputs: capabilities.structuredOutputs,
      reasoning: capabilities.reasoning,
    },
    algorithm: "",
  };
}

function presentEmbeddingModel({ manifest }: Model, limits: Limits): z.infer<typeof embeddingModel> {
  return {
    name: manifest.id,
    version: manifest.version,
    inputModalities: manifest.inputModalities.map((each) => modalityNames[each]),
    outputModalities: ["EMBEDDING"],
    promptTextTokenPrice: String(manifest.prices.promptTextTokenTicks),
    promptImageTokenPrice: "0",
    ...presentLimits(limits),
    maxPromptLength: manifest.contextTokens,
    aliases: manifest.aliases,
  };
}

function presentImageModel({ manifest }: Model, limits: Limits): z.infer<typeof imageModel> {
  const price = String(manifest.prices.imageTicks ?? 0);
  return {
    name: manifest.id,
    version: manifest.version,
    inputModalities: manifest.inputModalities.map((each) => modalityNames[each]),
    outputModalities: manifest.outputModalities.map((each) => modalityNames[each]),
    imagePrice: price,
    ...presentLimits(limits),
    aliases: manifest.aliases,
    resolutionPricing: [
      { resolution: "IMAGE_RESOLUTION_1K", pricePerImage: price },
      { resolution: "IMAGE_RESOLUTION_2K", pricePerImage: price },
    ],
  };
}

const modalityNames = { text: "TEXT", image: "IMAGE", audio: "AUDIO" } as const satisfies Readonly<
  Record<Modality, string>
>;

function presentLimits({ qps, qpm, tpm }: Limits) {
  return {
    rps: String(qps ?? 0),
    rpm: String(qpm ?? 0),
    tpm: String(tpm ?? 0),
    cluster: clusterName,
  };
}
