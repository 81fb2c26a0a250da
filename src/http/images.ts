/**
 * GET /images/{name}: an image that was drawn a while ago. Its name is what opens it: there is no key, so that browsers and
 * clients which fetch URLs by themselves can. Whatever opens it gets pixels and nothing that runs.
 */
import { HearthError } from "../core/errors.js";
import type { ImageStore } from "../inference/images/stored-image.js";
import type { Clock } from "../core/clock.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

const folder = "/images/";

/** Where an image is fetched. */
export function imageUrl(origin: string, name: string): string {
  return `${origin}${folder}${name}`;
}

/** The handler. */
export function presentImage({
  images,
  clock,
}: {
  readonly images: ImageStore;
  readonly clock: Clock;
}): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const now = clock.now();
    const image = await images.find(ctx.path.slice(folder.length).replace(/\/$/, ""), now);
    if (image === null)
      throw new HearthError("not_found", "There is no such image, or no more: images are kept for an hour.");
    const leftSeconds = Math.floor((image.expireTime - now) / 1000);
    ctx.set({
      "cache-control": `private, max-age=${leftSeconds}, immutable`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    ctx.type = `image/${image.format}`;
    ctx.body = Buffer.from(image.bytes.buffer, image.bytes.byteOffset, image.bytes.length);
  };
}

const contentType = ["image/png", "image/jpeg", "image/webp"];

export const imageDocs: RouteDocs = {
  operation: "getImage",
  tag: "Images",
  summary: "Fetch a drawn image",
  description: "Its name cannot be guessed and leads to it for an hour; no key is needed.",
  params: { name: "As the URL in the answer has it." },
  answers: { 200: { description: "The image, as it was asked for.", contentType } },
};
