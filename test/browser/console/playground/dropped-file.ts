import type { Page } from "playwright-core";
import sharp from "sharp";

/** Drops an image on the chat of the playground, as from another window. */
export async function dropImage(page: Page, image: Buffer): Promise<void> {
  await dropFile(page, image, { name: "circle.png", type: "image/png" });
  await page.getByRole("img", { name: "circle.png" }).waitFor();
}

/** Drops a file on the chat of the playground. */
export async function dropFile(
  page: Page,
  file: Buffer,
  { name, type }: { readonly name: string; readonly type: string },
): Promise<void> {
  const transfer = await page.evaluateHandle<unknown>(`
    const dropped = new DataTransfer();
    const bytes = Uint8Array.from(atob("${file.toString("base64")}"), (letter) => letter.charCodeAt(0));
    dropped.items.add(new File([bytes], "${name}", { type: "${type}" }));
    dropped;`);
  await page.getByRole("region", { name: "Chat" }).dispatchEvent("drop", { dataTransfer: transfer });
}

export function redCircle(): Promise<Buffer> {
  const size = 128;
  const pixels = Array.from({ length: size * size }, (_, index) => {
    const isInside = Math.hypot((index % size) - size / 2, Math.floor(index / size) - size / 2) < 40;
    return isInside ? [220, 30, 30] : [255, 255, 255];
  });
  const raw = { width: size, height: size, channels: 3 } as const;
  return sharp(Buffer.from(pixels.flat()), { raw }).png().toBuffer();
}
