import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../../../lib/store.js";
import { conversation, isRunning, sendMessage, setDraft, stop } from "../conversation.js";
import { attach, type Hearing, imageTypes, soundTypes } from "./attach.js";
import { openCalls, type AttachedFile } from "./turn.js";
import { sizeText } from "../../../../core/report/size-text.js";

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

/** Chooses files for the message that is being written. */
function FileButton({ hearing }: { readonly hearing: Hearing }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const choose = (): void => {
    const field = input.current;
    if (field === null) return;
    attach([...(field.files ?? [])], hearing);
    field.value = "";
  };
  const types = hearing.hears ? [...imageTypes, ...soundTypes] : imageTypes;
  return (
    <>
      <input
        ref={input}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label={hearing.hears ? "Images and sounds" : "Images"}
        multiple
        accept={types.join()}
        onChange={choose}
      />
      <button type="button" onClick={() => input.current?.click()}>
        {hearing.hears ? "Add image or sound" : "Add image"}
      </button>
    </>
  );
}

/** The files of the message that is being written. */
function Previews({ files }: { readonly files: readonly AttachedFile[] }): JSX.Element | null {
  if (files.length === 0) return null;
  const remove = (file: AttachedFile): void => setDraft({ files: files.filter((each) => each !== file) });
  return (
    <ul class="previews">
      {files.map((file) => (
        <li key={file.url}>
          {file.kind === "image" ? (
            <img src={file.url} alt={file.name} />
          ) : (
            <audio src={file.url} controls aria-label={file.name} />
          )}
          <span>
            {file.name}
            <small class="hint">{sizeText(file.bytes)}</small>
          </span>
          <button type="button" class="quiet" aria-label={`Remove ${file.name}`} onClick={() => remove(file)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
