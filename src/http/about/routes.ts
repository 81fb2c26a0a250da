import type { PublicRoute } from "../server/route.js";
import { getGuide, listGuides } from "./docs/guides.js";
import { getGuidePicture } from "./docs/guides/pictures.js";
import { getDocs, getRoot } from "./docs/reference-page.js";
import { getHealth, getHealthAlias } from "./healthz.js";
import { getOpenApi } from "./openapi-json.js";
import { getReadiness } from "./readyz.js";
import { getServer } from "./v1.js";

/** What the server says about itself. /metrics is open or not by a setting: routes.ts adds it. */
export const aboutRoutes: readonly PublicRoute[] = [
  getServer,
  getHealth,
  getHealthAlias,
  getReadiness,
  getOpenApi,
  getDocs,
  listGuides,
  getGuide,
  getGuidePicture,
  getRoot,
];
