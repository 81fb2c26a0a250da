import type { GenerationRequest } from "../core/generation.js";
import { mayRoundNumbers, memberTexts } from "../core/json/member-texts.js";

type SchemaFields = Pick<GenerationRequest, "format" | "tools" | "schemaPaths">;

/**
 * Adds the JSON texts of the schemas that may have numbers which JSON.parse rounds, such as 9007199254740993.
 * @param bodyText the JSON text of the request; null if it has no such numbers.
 */
export function withSchemaTexts<Request extends SchemaFields>(
  request: Request,
  bodyText: string | null,
): Request {
  const { format, tools, schemaPaths } = request;
  if (bodyText === null || schemaPaths === undefined) return request;
  if (format.type !== "json-schema" && tools.length === 0) return request;
  const [formatText, ...toolTexts] = memberTexts(bodyText, [schemaPaths.format, ...schemaPaths.tools]).map(
    (text) => (text !== undefined && mayRoundNumbers(text) ? text : undefined),
  );
  return {
    ...request,
    format:
      format.type === "json-schema" && formatText !== undefined
        ? { ...format, schemaText: formatText }
        : format,
    tools: tools.map((tool, index) => {
      const parametersText = toolTexts[index];
      return parametersText === undefined ? tool : { ...tool, parametersText };
    }),
  };
}
