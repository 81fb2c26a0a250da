/**
 * GET /images/{name}: returns a generated image. The secret name authorises the request: no key is required, so that browsers and
 * clients that fetch URLs can use it. The headers keep a browser from running anything in the response.
 */
import { HearthError } from "../../../core/errors.js";
import { publicRoute } from "../../server/route.js";

const folder = "/images/";

/** Returns the URL of a stored image. */
export function storedImageUrl(origin: string, name: string): string {
  return `${origin}${folder}${name}`;
}

const contentType = ["image/png", "image/jpeg", "image/webp"];

/** Returns a stored image until it expires. */
export const getImage = publicRoute({
  method: "GET",
  path: "/images/:name",
  docs: {
    operation: "getImage",
    tag: "Images",
    summary: "Get a generated image",
    description: "The URL cannot be guessed and is valid for an hour; no key is required.",
    params: { name: "Name from the URL in the answer." },
    answers: { 200: { description: "The image, in the requested format.", contentType } },
  },
  async handle({ ctx }, { imageStore, clock }) {
    const now = clock.now();
    const image = await imageStore.find(ctx.path.slice(folder.length).replace(/\/$/, ""), now);
    if (image === null)
      throw new HearthError(
        "not_found",
        "The image does not exist or has expired: images are stored for an hour.",
      );
    const leftSeconds = Math.floor((image.expireTime - now) / 1000);
    ctx.set({
      "cache-control": `private, max-age=${leftSeconds}, immutable`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    ctx.type = `image/${image.format}`;
    ctx.body = Buffer.from(image.bytes.buffer, image.bytes.byteOffset, image.bytes.length);
  },
});
