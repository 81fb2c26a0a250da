import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../../../lib/store.js";
import { conversation, isRunning, sendMessage, setDraft, stop } from "../conversation.js";
import { attach, type Hearing } from "./attach.js";
import { FileButton, Previews } from "./files.js";
import { openCalls } from "./turn.js";

interface ComposerProps {
  /** Why nothing can be sent, such as settings that are not valid; null if it can. */
  readonly obstacle: string | null;
  readonly hearing: Hearing;
}

/** The message that is being written, with its files. */
export function Composer({ obstacle, hearing }: ComposerProps): JSX.Element {
  const state = useStore(conversation);
  const { text, files } = state.draft;
  const running = isRunning(state);
  const waiting = openCalls(state.turns).length > 0 ? "Enter the results of the calls first." : null;
  const reason = obstacle ?? waiting;
  const canSend = !running && reason === null && (text.trim() !== "" || files.length > 0);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (canSend) sendMessage();
  };
  const keyDown = (event: KeyboardEvent): void => {
    // Enter that ends the input of a character does not send.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return (
    <form class="composer" onSubmit={submit}>
      <Previews files={files} />
      <MessageField text={text} hearing={hearing} onKeyDown={keyDown} />
      <footer>
        <FileButton hearing={hearing} />
        <small class={reason === null ? "hint keys" : "hint"}>
          {reason ?? "Enter sends, Shift+Enter breaks the line."}
        </small>
        {running ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={!canSend}>
            Send
          </button>
        )}
      </footer>
    </form>
  );
}

interface MessageFieldProps {
  readonly text: string;
  readonly hearing: Hearing;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function MessageField({ text, hearing, onKeyDown }: MessageFieldProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    attach(files, hearing);
  };
  return (
    <textarea
      ref={area}
      aria-label="Message"
      placeholder={`Write a message, or drop an image${hearing.hears ? " or a sound" : ""}`}
      rows={2}
      value={text}
      onInput={(event) => setDraft({ text: event.currentTarget.value })}
      onKeyDown={onKeyDown}
      onPaste={paste}
    />
  );
}
