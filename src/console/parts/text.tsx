/** Times, and texts to copy. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { agoText, momentText } from "../lib/format.js";
import { showError } from "./toast.js";

interface TimeProps {
  /** RFC 3339. */
  readonly at: string;
}

/** A time as `3 minutes ago`, with date and local time on hover. */
export function Ago({ at }: TimeProps): JSX.Element {
  return (
    <time dateTime={at} title={momentText(at)}>
      {agoText(at)}
    </time>
  );
}

/** A time as date and local time. */
export function Moment({ at }: TimeProps): JSX.Element {
  return <time dateTime={at}>{momentText(at)}</time>;
}

/** A text to copy, such as a key that is shown once. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <p class="copyable">
      <output aria-label={label}>
        <code>{text}</code>
      </output>
      <CopyButton text={text} />
    </p>
  );
}

interface CopyButtonProps {
  readonly text: string;
  readonly children?: string;
}

/** Copies a text. */
export function CopyButton({ text, children = "Copy" }: CopyButtonProps): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => void copyText(text).then(() => setCopied(true), showError);
  return (
    <button type="button" onClick={copy} onBlur={() => setCopied(false)}>
      {isCopied ? "Copied" : children}
    </button>
  );
}

/** Copies a text. Without TLS, browsers offer the clipboard to pages of this machine only. */
export async function copyText(text: string): Promise<void> {
  if (!isSecureContext)
    throw new Error("The browser lets pages copy over HTTPS only. Select the text and copy it.");
  await navigator.clipboard.writeText(text);
}
