/** POST /v1/images/variations: refused like edits of images. */
import { imageInputDocs } from "./edits.js";

export { refuseImageInput as varyImage } from "./edits.js";
export const varyImageDocs = imageInputDocs("createImageVariation", "Vary an image: not supported");
