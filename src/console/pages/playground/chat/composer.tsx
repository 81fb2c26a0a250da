import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sizeText } from "../../../../core/report/size-text.js";
import { useStore } from "../../../lib/store.js";
import { showError } from "../../../parts/toast.js";
import { conversation, isRunning, sendMessage, setDraft, stop } from "../conversation.js";
import { openCalls, type AttachedImage } from "./turn.js";

interface ComposerProps {
  /** Why nothing can be sent, such as settings that are not valid; null if it can. */
  readonly obstacle: string | null;
}

/** The message that is being written, with its images. */
export function Composer({ obstacle }: ComposerProps): JSX.Element {
  const state = useStore(conversation);
  const { text, images } = state.draft;
  const running = isRunning(state);
  const waiting = openCalls(state.turns).length > 0 ? "Enter the results of the calls first." : null;
  const reason = obstacle ?? waiting;
  const canSend = !running && reason === null && (text.trim() !== "" || images.length > 0);
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
      <Previews images={images} />
      <MessageField text={text} onKeyDown={keyDown} />
      <footer>
        <FileButton />
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

/** Adds files to the message that is being written. */
export function attach(files: readonly File[]): void {
  void withFiles(conversation.get().draft.images, files).then((images) => setDraft({ images }), showError);
}

interface MessageFieldProps {
  readonly text: string;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function MessageField({ text, onKeyDown }: MessageFieldProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    attach(files);
  };
  return (
    <textarea
      ref={area}
      aria-label="Message"
      placeholder="Write a message, or drop an image"
      rows={2}
      value={text}
      onInput={(event) => setDraft({ text: event.currentTarget.value })}
      onKeyDown={onKeyDown}
      onPaste={paste}
    />
  );
}

function FileButton(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const choose = (): void => {
    const field = input.current;
    if (field === null) return;
    attach([...(field.files ?? [])]);
    field.value = "";
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label="Images"
        multiple
        accept={imageTypes.join()}
        onChange={choose}
      />
      <button type="button" onClick={() => input.current?.click()}>
        Add image
      </button>
    </>
  );
}

function Previews({ images }: { readonly images: readonly AttachedImage[] }): JSX.Element | null {
  if (images.length === 0) return null;
  const remove = (image: AttachedImage): void =>
    setDraft({ images: images.filter((each) => each !== image) });
  return (
    <ul class="previews">
      {images.map((image) => (
        <li key={image.url}>
          <img src={image.url} alt={image.name} />
          <span>
            {image.name}
            <small class="hint">{sizeText(image.bytes)}</small>
          </span>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${image.name}`}
            onClick={() => remove(image)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The types that the server reads. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
const imagesMax = 8;
/** All images of a message. As a data URL, an image is a third longer; the server takes requests of 33 MB. */
const imagesBytesMax = 16_000_000;

/** Returns the attached images with the images of more files. @throws Error, for the member, if a file is no image or too large */
async function withFiles(
  attached: readonly AttachedImage[],
  files: readonly File[],
): Promise<readonly AttachedImage[]> {
  const other = files.find(({ type }) => !imageTypes.some((each) => each === type));
  if (other !== undefined) throw new Error(`“${other.name}” is not a PNG, JPEG, WebP or GIF image.`);
  if (attached.length + files.length > imagesMax)
    throw new Error(`A message may have ${imagesMax} images at most.`);
  const bytes = [...attached.map((image) => image.bytes), ...files.map(({ size }) => size)];
  if (bytes.reduce((sum, each) => sum + each, 0) > imagesBytesMax)
    throw new Error(`The images of a message may have ${sizeText(imagesBytesMax)} together at most.`);
  return [...attached, ...(await Promise.all(files.map(read)))];
}

async function read(file: File): Promise<AttachedImage> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "");
    reader.onerror = () => reject(new Error(`“${file.name}” cannot be read.`));
    reader.readAsDataURL(file);
  });
  return { name: file.name === "" ? "pasted image" : file.name, bytes: file.size, url };
}
