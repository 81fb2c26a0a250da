import type { JSX } from "preact";
import type { WireCreatedKey } from "../../../http/management/keys/present-key.js";
import { Notice } from "../../parts/dialog.js";
import { Copyable } from "../../parts/text.js";

/** Shows the secret of a key, the only time that it can be seen, and how to use it. */
export function NewSecret({ created: { name, apiKey } }: { readonly created: WireCreatedKey }): JSX.Element {
  const curl = `curl ${location.origin}/v1/models -H "Authorization: Bearer ${apiKey}"`;
  return (
    <Notice title={`Key ${name}`}>
      <p>
        <strong>Copy the key now.</strong> It is stored nowhere and cannot be shown again.
      </p>
      <Copyable text={apiKey} label="API key" />
      <p>Try it:</p>
      <Copyable text={curl} label="Command" />
      <p>
        For clients of OpenAI the base URL is <code>{location.origin}/v1</code>.
      </p>
    </Notice>
  );
}
