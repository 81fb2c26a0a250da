/**
 * What a request requires of its answers: grammar rules for the engine, and the validation of the whole answer. Some schemas can be
 * expressed exactly by rules; for the others the rules allow more than the schema, and the validation decides.
 */
import { freeRules, type AnswerRules } from "../../core/engine.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { CompiledSchema, Schemas } from "../../core/schemas.js";

/** An answer as it is validated. */
export interface CompletedAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

export interface AnswerValidator {
  readonly rules: AnswerRules;
  /** Whether every answer that follows the rules is valid, so that it can be emitted as it comes. */
  readonly exact: boolean;
  /** @returns why a whole answer is invalid, in a sentence; null when it is valid. */
  check(answer: CompletedAnswer): Promise<string | null>;
}

/** Accepts any answer. */
const acceptAll: AnswerValidator = { rules: freeRules, exact: true, check: () => Promise.resolve(null) };

/** Returns the validator of a request's answers, synchronously when nothing is required of them. */
export function answerValidator(
  schemas: Schemas,
  request: GenerationRequest,
): AnswerValidator | Promise<AnswerValidator> {
  return request.format.type === "text" && request.tools.length === 0
    ? acceptAll
    : compileValidator(schemas, request);
}

/** @throws HearthError `invalid_value` naming the schema that is not supported, its keyword and its position. */
async function compileValidator(schemas: Schemas, request: GenerationRequest): Promise<AnswerValidator> {
  const text = await textSchema(schemas, request);
  const tools = new Map<string, CompiledSchema>();
  for (const [index, { name, parameters }] of request.tools.entries())
    tools.set(name, await schemas.compile(asObject(parameters), toolPath(request, index)));
  const compiled = [...(text === null ? [] : [text]), ...tools.values()];
  return {
    rules: {
      rules: new Map(compiled.flatMap(({ rules }) => [...rules])),
      text: text?.root ?? null,
      toolArguments: request.tools.map(({ name }) => tools.get(name)?.root ?? ""),
    },
    exact: compiled.every(({ exact }) => exact),
    async check(answer) {
      for (const call of answer.calls) {
        const problem = await tools.get(call.name)?.check(call.arguments);
        if (problem != null) return `the arguments of '${call.name}': ${problem}`;
      }
      return text === null || answer.calls.length > 0 ? null : text.check(answer.text);
    },
  };
}

function toolPath({ schemaPaths }: GenerationRequest, index: number): string {
  return schemaPaths?.tools[index] ?? `tools.${index}.function.parameters`;
}

async function textSchema(schemas: Schemas, request: GenerationRequest): Promise<CompiledSchema | null> {
  const { format, schemaPaths } = request;
  if (format.type === "text") return null;
  if (format.type === "json-object") return schemas.compile({ type: "object" }, "response_format");
  return schemas.compile(format.schema, schemaPaths?.format ?? "response_format.json_schema.schema");
}

/** Arguments are an object, also when the schema does not say so. */
function asObject(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return "type" in parameters ? parameters : { type: "object", ...parameters };
}
