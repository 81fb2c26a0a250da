/** A request as text: its fields, then what it and its answer had. */
import type { WireRequestDetails } from "../../http/management/requests/requests.js";

type KeptMessage = NonNullable<WireRequestDetails["bodies"]>["input"][number];

/** Characters that could change what a terminal shows; lines and tabs are kept. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export function detailsText(details: WireRequestDetails): string {
  return formatDetails(details).replaceAll(unprintable, "\ufffd");
}

function formatDetails({ bodies, ...request }: WireRequestDetails): string {
  const fields = Object.entries(request).map(([name, value]) => `${name.padEnd(16)} ${String(value)}`);
  if (bodies === undefined) return [...fields, "", "What it and its answer had was not kept.", ""].join("\n");
  const { input, output, isCut, expireTime } = bodies;
  return [
    ...fields,
    `${"kept until".padEnd(16)} ${expireTime}${isCut ? ", shortened" : ""}`,
    ...[...input, ...output].flatMap(messageLines),
    "",
  ].join("\n");
}

function messageLines({ role, parts }: KeptMessage): readonly string[] {
  return ["", `--- ${role}`, ...parts.map(partText)];
}

function partText(part: KeptMessage["parts"][number]): string {
  const { type, content, name, arguments: args, response, ...rest } = part;
  switch (type) {
    case "text":
      return String(content);
    case "reasoning":
      return `(reasoning) ${String(content)}`;
    case "tool_call":
      return `(calls) ${String(name)} ${String(args)}`;
    case "tool_call_response":
      return String(response);
    default:
      return `(${type}) ${JSON.stringify(rest)}`;
  }
}
