import { z } from "zod";
import { describeIssue } from "../system/describe-issue.js";

/** Letters, digits and `._:/-`, as in the model names of hosted services and registries. */
const idPattern = /^[A-Za-z0-9_:-][A-Za-z0-9._:/-]{0,199}$/;
/** Device names of Windows, with any extension. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const modelId = z
  .string()
  .regex(idPattern, "must be 1 to 200 letters, digits or ._:/- and not begin with . or /");
const label = z.string().min(1).max(200);
/** 0.1 USD per token. A higher price could overflow the cost of a long run. */
const tokenTicksMax = 1_000_000_000;
const ticks = z.number().int().min(0).max(tokenTicksMax);
/** 1,000 USD per image. */
const imageTicksMax = 10_000_000_000_000;
const filesMax = 64;
const stepsMax = 1000;
const count = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const modalities = z
  .array(z.enum(["text", "image"]))
  .min(1)
  .max(2);

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits");
const file = z.strictObject({
  path: z.string().max(255).refine(isPlainPath, "must be the path of a file in the manifest's own folder"),
  bytes: count,
  sha256,
});

/** Every field may be left out: the files say it then, or a default does. */
const schema = z
  .strictObject({
    id: modelId,
    aliases: z.array(modelId).max(32),
    kind: z.enum(["chat", "image", "vision", "embedding", "rerank"]),
    name: label,
    family: label,
    version: label,
    file: z
      .string()
      .max(255)
      .refine(isPlainFileName, "must be the name of a file in the manifest's own folder"),
    bytes: count,
    sha256: sha256.nullable(),
    files: z.array(file).min(1).max(filesMax).optional(),
    drawing: z
      .strictObject({
        steps: z.number().int().min(1).max(stepsMax),
        guidanceScale: z.number().min(0).max(100),
      })
      .optional(),
    contextTokens: count,
    longContext: z.strictObject({ trainedTokens: count, yarnFactor: z.number().min(1).max(64) }).optional(),
    inputModalities: modalities,
    outputModalities: modalities,
    capabilities: z.strictObject({
      reasoning: z.boolean(),
      tools: z.boolean(),
      structuredOutputs: z.boolean(),
    }),
    rerankBy: z.enum(["similarity"]).optional(),
    reasoningTokensMax: z.number().int().min(1).max(1_048_576).optional(),
    answerTokensMax: z.number().int().min(1).max(1_048_576).optional(),
    prices: z.strictObject({
      promptTextTokenTicks: ticks,
      cachedPromptTextTokenTicks: ticks,
      completionTextTokenTicks: ticks,
      imageTicks: z.number().int().min(0).max(imageTicksMax).optional(),
    }),
    license: label,
    // The end of the year 9999, the latest time with an RFC 3339 form.
    created: z.number().int().min(0).max(253_402_300_799),
    madeBy: label,
  })
  .partial();

/** The fields that a manifest.json has. */
export type WrittenManifest = Readonly<z.output<typeof schema>>;

type ManifestResult =
  { readonly ok: true; readonly manifest: WrittenManifest } | { readonly ok: false; readonly reason: string };

/**
 * Parses the text of a manifest.json. @returns the manifest, or a public clause that names the first invalid
 * field
 */
export function parseManifest(text: string): ManifestResult {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return { ok: false, reason: "its manifest.json is not valid JSON." };
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return { ok: true, manifest: parsed.data };
  const issue = parsed.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  return {
    ok: false,
    reason: `its manifest.json is wrong: ${field}${issue === undefined ? "it does not fit" : describeIssue(issue)}.`,
  };
}

/** Returns whether a text is a valid model id. */
export function isModelId(text: string): boolean {
  return idPattern.test(text);
}

/** Returns the id for a file or folder name: lower case, with invalid characters replaced by hyphens. */
export function idFromName(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9._:-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 200);
  return id === "" ? "unnamed" : id;
}

/** Returns whether a path names a file in the folder or one of its subfolders. */
function isPlainPath(path: string): boolean {
  return path.split("/").every(isPlainFileName);
}

function isPlainFileName(name: string): boolean {
  const isPrintable = [...name].every((letter) => letter >= " " && letter !== "\x7f");
  return name !== "" && name !== "." && isPrintable && !/[/\\:]|\.\./.test(name) && !deviceName.test(name);
}
