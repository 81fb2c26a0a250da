/**
 * `npm run bench -- templates`: measures what hostile chat templates cost the streams of another model, and what
 * the bounds cost the rendering of an ordinary one.
 */
import { templateGapRows } from "./templates/gaps.js";
import { renderingRows } from "./templates/rendering.js";
import type { Row } from "../figures/table.js";

/** Yields rows as soon as they are measured: about a minute and a half. */
export async function* templatesSection(): AsyncGenerator<readonly Row[]> {
  yield await renderingRows();
  yield await templateGapRows();
}
