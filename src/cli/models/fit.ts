/** `hearth fit`: says whether a model fits into memory, what would make it fit, and about how fast it is. */
import { InvalidArgumentError, type Command } from "commander";
import type { KnownInMemory } from "../../doctor/model-fit.js";
import type { Config } from "../../config/config.js";
import type { Model } from "../../core/model.js";
import { resolveModel } from "../../models/closest-names.js";
import { formatJson } from "../table.js";
import type { ModelCommands } from "./deps.js";
import { fitRows, type ReportRow } from "./fit-text.js";
import { modelsInMemory } from "./in-memory.js";
import { sectionsText } from "./sections.js";

interface Options {
  readonly context?: number;
  readonly json?: true;
}

/** Adds the command; its exit code is 1 if the model does not fit. */
export function addFitCommand(
  program: Command,
  { open, load, out, bandwidthWorkerUrl }: ModelCommands,
): void {
  program
    .command("fit")
    .description("say whether a model fits into memory, and about how fast it is")
    .argument("<model>", "ID or alias")
    .option("--context <tokens>", "with this context (default: the one it is loaded with)", tokensArgument)
    .option("--json", "print one JSON object")
    .action(async (name: string, { context, json }: Options, command: Command) => {
      const model = resolveModel((await open()).models, name);
      const { id } = model.manifest;
      if (model.unusable !== null) throw new Error(`'${id}' cannot be used: ${model.unusable}`);
      if (model.remote !== undefined) {
        const { engine } = model.remote;
        const verdict = "runs on an engine";
        const text: readonly ReportRow[] = [
          ["verdict", `${verdict}, ${engine}: only its vocabulary takes memory here`],
          ["context", `${model.manifest.contextTokens} tokens, or fewer where the engine has fewer`],
        ];
        out.write(json === true ? formatJson({ id, verdict, engine }) : sectionsText([[id, text]]));
        return;
      }
      refuseLonger(model, context, command);
      const { config } = await load();
      const inMemory = await knownInMemory(config);
      const { measureLocalFit } = await import("../../app/models/models.js");
      const options = { contextTokens: context, inMemory, bandwidthWorkerUrl };
      const report = await measureLocalFit(config, model, options);
      if (json === true) out.write(formatJson({ id, ...report }));
      else out.write(sectionsText([[id, fitRows(report)]]));
      if (report.verdict === "does not fit") process.exitCode = 1;
    });
}

/** A context beyond what the model was trained with is never loaded, so that there is nothing to say of it. */
function refuseLonger(
  { manifest, trainedTokens }: Model,
  context: number | undefined,
  command: Command,
): void {
  const most = trainedTokens ?? manifest.contextTokens;
  if (context !== undefined && context > most)
    command.error(
      `error: --context ${context}: '${manifest.id}' has ${most} tokens of context at most, and is never loaded with more`,
      { exitCode: 2 },
    );
}

/** Returns the models in memory; none if the server cannot be asked. */
export function knownInMemory(config: Config): Promise<readonly KnownInMemory[]> {
  return modelsInMemory(config).catch(() => []);
}

function tokensArgument(written: string): number {
  const tokens = Number(written);
  if (!/^\d{1,9}$/.test(written) || tokens < 1)
    throw new InvalidArgumentError("It must be a number of tokens, such as 8192.");
  return tokens;
}
