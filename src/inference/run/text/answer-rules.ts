/**
 * What a request requires of its answers: grammar rules for the engine, and the validation of the whole answer. Some schemas can be
 * expressed exactly by rules; for the others the rules allow more than the schema, and the validation decides.
 */
import { freeRules, type AnswerRules } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import { repeatedKey } from "../../../core/json/object-keys.js";
import type { GenerationRequest, Tool } from "../../../core/generation.js";
import type { CompiledSchema, SchemaOrigin, Schemas } from "../../../core/schemas.js";

/** An answer as it is validated. */
export interface CompletedAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

export interface AnswerValidator {
  readonly rules: AnswerRules;
  /** Whether every answer that follows the rules is valid, so that it can be emitted as it comes. */
  readonly exact: boolean;
  /** Sentences about requirements that no grammar can express and that are therefore not enforced. */
  readonly warnings: readonly string[];
  /** @returns why a whole answer is invalid, in a sentence; null when it is valid. */
  check(answer: CompletedAnswer): Promise<string | null>;
}

/** Accepts any answer. */
const acceptAll: AnswerValidator = {
  rules: freeRules,
  exact: true,
  warnings: [],
  check: () => Promise.resolve(null),
};

/** Returns the validator of a request's answers, synchronously when nothing is required of them. */
export function createAnswerValidator(
  schemas: Schemas,
  request: GenerationRequest,
  teamId: string,
): AnswerValidator | Promise<AnswerValidator> {
  return request.format.type === "text" && request.tools.length === 0
    ? acceptAll
    : compileValidator(schemas, request, teamId);
}

/** @throws HearthError `invalid_value` naming the schema that is not supported, its keyword and its position. */
async function compileValidator(
  schemas: Schemas,
  request: GenerationRequest,
  teamId: string,
): Promise<AnswerValidator> {
  const text = await textSchema(schemas, request, teamId);
  const tools = new Map<string, CompiledSchema>();
  const warnings: string[] = [];
  for (const [index, tool] of request.tools.entries()) {
    const origin = { param: toolPath(request, index), teamId };
    const strict = await compileStrict(schemas, tool, origin);
    if (strict === null && tool.strictParameters !== undefined)
      warnings.push(`the grammar of the tool '${tool.name}' is not enforced`);
    tools.set(tool.name, strict ?? (await compileTool(schemas, tool, origin)));
  }
  const compiled = [...(text === null ? [] : [text]), ...tools.values()];
  return {
    rules: {
      rules: new Map(compiled.flatMap(({ rules }) => [...rules])),
      text: text?.root ?? null,
      toolArguments: request.tools.map(({ name }) => tools.get(name)?.root ?? ""),
    },
    exact: compiled.every(({ exact }) => exact),
    warnings,
    async check(answer) {
      for (const call of answer.calls) {
        const problem = await findProblem(call.arguments, tools.get(call.name));
        if (problem !== null) return `the arguments of '${call.name}': ${problem}`;
      }
      if (answer.calls.length > 0) return null;
      return request.format.type === "grammar"
        ? ((await text?.check(answer.text)) ?? null)
        : findProblem(answer.text, text);
    },
  };
}

/** Returns why a text is not what a schema requires. No answer repeats a key of an object, which no schema can say. */
async function findProblem(text: string, schema: CompiledSchema | null | undefined): Promise<string | null> {
  if (schema == null) return null;
  const problem = await schema.check(text);
  const repeated = problem === null ? repeatedKey(text) : null;
  return repeated === null ? problem : `it has the key "${repeated.slice(0, 100)}" twice in one object`;
}

/** Compiles the stricter schema of a tool, if it has one. @returns null if it has none, or none that is supported. */
async function compileStrict(
  schemas: Schemas,
  { strictParameters }: Tool,
  origin: SchemaOrigin,
): Promise<CompiledSchema | null> {
  if (strictParameters === undefined) return null;
  try {
    return await schemas.compile(strictParameters, origin);
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.code === "invalid_schema") return null;
    throw thrown;
  }
}

function compileTool(schemas: Schemas, tool: Tool, origin: SchemaOrigin): Promise<CompiledSchema> {
  const { schema, text } = argumentsSchema(tool);
  return namingTool(tool.name, schemas.compile(schema, { ...origin, text }));
}

function toolPath({ schemaPaths }: GenerationRequest, index: number): string {
  return schemaPaths?.tools[index] ?? `tools.${index}.function.parameters`;
}

async function textSchema(
  schemas: Schemas,
  request: GenerationRequest,
  teamId: string,
): Promise<CompiledSchema | null> {
  const { format, schemaPaths } = request;
  if (format.type === "text") return null;
  if (format.type === "json-object")
    return schemas.compile({ type: "object" }, { param: "response_format", teamId });
  const param = schemaPaths?.format ?? "response_format.json_schema.schema";
  if (format.type === "grammar") return schemas.readGrammar(format.syntax, format.grammar, { param, teamId });
  return schemas.compile(format.schema, { param, teamId, text: format.schemaText });
}

/** Arguments are an object, also when the schema does not say so or allows other types as well. */
function argumentsSchema({ parameters, parametersText: text }: Tool): {
  readonly schema: Tool["parameters"];
  readonly text: string | undefined;
} {
  if (parameters["type"] === "object") return { schema: parameters, text };
  // The last of several members with one name counts. The text has members, because it has numbers.
  const typed = text === undefined ? text : `${text.slice(0, -1)},"type":"object"}`;
  return { schema: { ...parameters, type: "object" }, text: typed };
}

/** Adds the name of the tool to the error of its schema. */
async function namingTool(name: string, compiled: Promise<CompiledSchema>): Promise<CompiledSchema> {
  try {
    return await compiled;
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || thrown.code !== "invalid_schema") throw thrown;
    throw new HearthError(thrown.kind, `The parameters of the tool '${name}': ${thrown.message}`, {
      param: thrown.param,
      code: thrown.code,
      cause: thrown,
    });
  }
}
