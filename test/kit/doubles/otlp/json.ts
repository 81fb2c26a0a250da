/** Decodes the JSON form of `ExportTraceServiceRequest`. */
import { z } from "zod";
import type { AttributeValue, ReceivedSpan } from "./span.js";

const value: z.ZodType<AttributeValue> = z.lazy(() =>
  z.union([
    z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
    z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
    z.strictObject({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
    z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
    z
      .strictObject({ arrayValue: z.object({ values: z.array(value) }) })
      .transform(({ arrayValue }) => arrayValue.values),
  ]),
);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.key, pair.value])));
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  traceState: z.string().default(""),
  parentSpanId: z.string().default(""),
  name: z.string(),
  kind: z.number(),
  attributes,
  status: z.object({ code: z.number().default(0) }),
});
const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export function decodeJsonTraces(body: Buffer): readonly ReceivedSpan[] {
  return traces.parse(JSON.parse(body.toString("utf8"))).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ status, ...rest }) => ({
        ...rest,
        statusCode: status.code,
        resource: resource.attributes,
      })),
    ),
  );
}
