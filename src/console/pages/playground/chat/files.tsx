import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { sizeText } from "../../../../core/report/size-text.js";
import { setDraft } from "../conversation.js";
import { attach, imageTypes, soundTypes, type Hearing } from "./attach.js";
import type { AttachedFile } from "./turn.js";

/** Chooses files for the message that is being written. */
export function FileButton({ hearing }: { readonly hearing: Hearing }): JSX.Element {
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
export function Previews({ files }: { readonly files: readonly AttachedFile[] }): JSX.Element | null {
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
