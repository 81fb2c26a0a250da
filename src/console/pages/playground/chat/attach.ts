/** Adds image and sound files to the message that is being written. */
import type { WireLanguageModels } from "../../../../http/inference/models/language-models.js";
import { sizeText } from "../../../../core/report/size-text.js";
import { showError } from "../../../parts/toast.js";
import { conversation, setDraft } from "../conversation.js";
import type { AttachedFile, PlaygroundTurn } from "./turn.js";

/** Whether the chosen model reads sound, and which others do. */
export interface Hearing {
  readonly model: string;
  readonly hears: boolean;
  readonly others: readonly string[];
}

export function findHearing(model: string, models: WireLanguageModels["models"]): Hearing {
  const hearing = models.filter(({ input_modalities: reads }) => reads.includes("audio")).map(({ id }) => id);
  return { model, hears: hearing.includes(model), others: hearing.filter((id) => id !== model) };
}

/** Returns why a conversation with sounds cannot be sent; null if it can. */
export function findDeafness(
  hearing: Hearing,
  turns: readonly PlaygroundTurn[],
  draft: readonly AttachedFile[],
): string | null {
  if (hearing.hears) return null;
  const sent = turns.flatMap((turn) => (turn.role === "user" ? turn.files : []));
  const sound = [...sent, ...draft].find(({ kind }) => kind === "sound");
  return sound === undefined ? null : `${explainDeafness(hearing)} The conversation has “${sound.name}”.`;
}

/** Adds files to the message that is being written, or says why not. */
export function attach(files: readonly File[], hearing: Hearing): void {
  void withFiles(conversation.get().draft.files, files, hearing).then(
    (all) => setDraft({ files: all }),
    showError,
  );
}

/** The types that the server reads. */
export const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/** Names that browsers have for WAV and MP3; where they have none, the ending of the file's name counts. */
const wavTypes: readonly string[] = ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"];
const mp3Types: readonly string[] = ["audio/mpeg", "audio/mp3"];
export const soundTypes = [...wavTypes, ...mp3Types, ".wav", ".mp3"];

const filesMax = 8;
/** All files of a message. As a data URL, a file is a third longer; the server takes requests of 33 MB. */
const filesBytesMax = 24_000_000;

/** Returns the attached files with more. @throws Error, for the member, naming the file that cannot be sent */
async function withFiles(
  attached: readonly AttachedFile[],
  files: readonly File[],
  hearing: Hearing,
): Promise<readonly AttachedFile[]> {
  const typed = files.map((file) => ({ file, type: findType(file) }));
  for (const { file, type } of typed) {
    if (type === null)
      throw new Error(
        `“${file.name}” is no image (PNG, JPEG, WebP, GIF)${hearing.hears ? " and no sound (WAV, MP3)" : ""}.`,
      );
    if (type.startsWith("audio/") && !hearing.hears)
      throw new Error(`“${file.name}” was not added. ${explainDeafness(hearing)}`);
  }
  if (attached.length + files.length > filesMax)
    throw new Error(`A message may have ${filesMax} files at most.`);
  const bytes = [...attached.map((file) => file.bytes), ...files.map(({ size }) => size)];
  if (bytes.reduce((sum, each) => sum + each, 0) > filesBytesMax)
    throw new Error(`The files of a message may have ${sizeText(filesBytesMax)} together at most.`);
  return [...attached, ...(await Promise.all(typed.map(({ file, type }) => read(file, type ?? ""))))];
}

function explainDeafness({ model, others }: Hearing): string {
  const help = others.length === 0 ? "" : ` These models do: ${others.join(", ")}.`;
  return `${model} does not read sound.${help}`;
}

/** Returns the type under which a file is sent; null for a file that is not. */
function findType({ type, name }: File): string | null {
  if (imageTypes.includes(type)) return type;
  const ending = /\.(wav|mp3)$/i.exec(name)?.[1]?.toLowerCase();
  if (wavTypes.includes(type) || (type === "" && ending === "wav")) return "audio/wav";
  return mp3Types.includes(type) || (type === "" && ending === "mp3") ? "audio/mpeg" : null;
}

async function read(file: File, type: string): Promise<AttachedFile> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "");
    reader.onerror = () => reject(new Error(`“${file.name}” cannot be read.`));
    reader.readAsDataURL(file);
  });
  return {
    kind: type.startsWith("audio/") ? "sound" : "image",
    name: file.name === "" ? "pasted image" : file.name,
    bytes: file.size,
    url: `data:${type};base64,${url.slice(url.indexOf(",") + 1)}`,
  };
}
