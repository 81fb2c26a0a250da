/** Reads pictures that the member drops, pastes or chooses. */
import { bytesText } from "../../../lib/format.js";
import type { AttachedImage } from "./turn.js";

/** The types that the server reads. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
const imagesMax = 8;
/** All images of a message. As a data URL, an image is a third longer; the server takes requests of 33 MB. */
const imagesBytesMax = 16_000_000;

/** Returns the attached images with those of more files. @throws Error, for the member, if a file is no image or too large */
export async function withFiles(
  attached: readonly AttachedImage[],
  files: readonly File[],
): Promise<readonly AttachedImage[]> {
  const other = files.find(({ type }) => !imageTypes.some((each) => each === type));
  if (other !== undefined) throw new Error(`“${other.name}” is not a PNG, JPEG, WebP or GIF image.`);
  if (attached.length + files.length > imagesMax)
    throw new Error(`A message may have ${imagesMax} images at most.`);
  const bytes = [...attached.map((image) => image.bytes), ...files.map(({ size }) => size)];
  if (bytes.reduce((sum, each) => sum + each, 0) > imagesBytesMax)
    throw new Error(`The images of a message may have ${bytesText(imagesBytesMax)} together at most.`);
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
