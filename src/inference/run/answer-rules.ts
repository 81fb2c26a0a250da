/**
 * What a request asks of its answers: rules for the engine to write by, and the judgement of what was written. A schema that
 * rules can say exactly needs no judge, but gets one; for the others the rules allow more than the schema, and the judge
 * decides.
 */
import { freeRules, type AnswerRules } from "../../core/engine.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { CompiledSchema, Schemas } from "../../core/schemas.js";

/** An answer as it is judged. */
export interface WrittenAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

export interface AnswerJudge {
  readonly rules: AnswerRules;
  /** true: what follows the rules is right, and can be told as it comes. */
  readonly exact: boolean;
  /** @returns what is wrong with a whole answer, in a sentence, or null. */
  check(answer: WrittenAnswer): Promise<string | null>;
}

/** Nothing is asked: any answer will do. */
const anything: AnswerJudge = { rules: freeRules, exact: true, check: () => Promise.resolve(null) };

/** The judge of a request's answers, at once where nothing is asked of them. */
export function judgeOf(schemas: Schemas, request: GenerationRequest): AnswerJudge | Promise<AnswerJudge> {
  return request.format.type === "text" && request.tools.length === 0
    ? anything
    : compileAll(schemas, request);
}

/** @throws HearthError `invalid_value` naming the schema that cannot be served, its keyword and its place. */
async function compileAll(schemas: Schemas, request: GenerationRequest): Promise<AnswerJudge> {
  const text = await textSchema(schemas, request);
  const tools = new Map<string, CompiledSchema>();
  for (const [index, { name, parameters }] of request.tools.entries())
    tools.set(name, await schemas.compile(asObject(parameters), toolPlace(request, index)));
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
        const wrong = await tools.get(call.name)?.check(call.arguments);
        if (wrong != null) return `the arguments of '${call.name}': ${wrong}`;
      }
      return text === null || answer.calls.length > 0 ? null : text.check(answer.text);
    },
  };
}

function toolPlace({ schemaPlaces }: GenerationRequest, index: number): string {
  return schemaPlaces?.tools[index] ?? `tools.${index}.function.parameters`;
}

async function textSchema(schemas: Schemas, request: GenerationRequest): Promise<CompiledSchema | null> {
  const { format, schemaPlaces } = request;
  if (format.type === "text") return null;
  if (format.type === "json-object") return schemas.compile({ type: "object" }, "response_format");
  return schemas.compile(format.schema, schemaPlaces?.format ?? "response_format.json_schema.schema");
}

/** Arguments are an object, also where the schema does not say so. */
function asObject(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return "type" in parameters ? parameters : { type: "object", ...parameters };
}
