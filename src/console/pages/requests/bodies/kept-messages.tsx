import type { JSX } from "preact";
import type { WireRequestDetails } from "../../../../http/management/requests/requests.js";
import { countText } from "../../../lib/format.js";
import { indentedJson } from "../../../lib/indented-json.js";

type Message = NonNullable<WireRequestDetails["bodies"]>["input"][number];
type Part = Message["parts"][number];

interface KeptMessagesProps {
  readonly label: string;
  readonly messages: readonly Message[];
}

/** Messages as text: nothing in them is markup, and no address in them is asked for. */
export function KeptMessages({ label, messages }: KeptMessagesProps): JSX.Element {
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      {messages.length === 0 && <p class="hint">Nothing.</p>}
      <ol class="kept">
        {messages.map(({ role, parts, finish_reason: finishReason }, index) => (
          <li key={index} class={role}>
            <p class="kept-role">
              <strong>{role}</strong>
              {finishReason !== undefined && <span class="hint">ended with {finishReason}</span>}
            </p>
            {parts.length === 0 && <p class="hint">no text</p>}
            {parts.map((part, at) => (
              <KeptPart key={at} part={part} />
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function KeptPart({ part }: { readonly part: Part }): JSX.Element {
  switch (part.type) {
    case "text":
      return <Text label="Text" text={toText(part, "content")} />;
    case "reasoning":
      return (
        <details class="kept-reasoning">
          <summary>Reasoning</summary>
          <Text label="Reasoning" text={toText(part, "content")} />
        </details>
      );
    case "tool_call":
      return (
        <>
          <p class="hint">
            calls <code>{toText(part, "name")}</code>, as <code>{toText(part, "id")}</code>
          </p>
          <Text
            label={`Arguments of ${toText(part, "name")}`}
            text={indentedJson(toText(part, "arguments"))}
          />
        </>
      );
    case "tool_call_response":
      return (
        <>
          <p class="hint">
            result of <code>{toText(part, "id")}</code>
          </p>
          <Text label="Result" text={toText(part, "response")} />
        </>
      );
    default:
      return <p class="hint">{describeFile(part)}</p>;
  }
}

function Text({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <pre tabIndex={0} role="group" aria-label={label}>
      {text}
    </pre>
  );
}

/** Says what stands for an image, or for tokens. */
function describeFile(part: Part): string {
  if (part.type === "uri") return `image at ${toText(part, "uri")}`;
  if (part.type === "blob")
    return `image, ${toText(part, "mime_type")}, ${countText(Number(part["chars"]))} characters, not kept`;
  if (part.type === "tokens") return `${countText(Number(part["tokens"]))} tokens, not kept`;
  return part.type;
}

function toText(part: Part, name: string): string {
  const value = part[name];
  return typeof value === "string" ? value : "";
}
