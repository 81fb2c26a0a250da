/** The part of the route table that manages models: settings, memory and downloads. */
import {
  deleteAdminModel,
  deleteAdminModelDocs,
  getAdminModel,
  getAdminModelDocs,
  listAdminModels,
  listAdminModelsDocs,
  updateAdminModel,
  updateAdminModelDocs,
} from "../admin/models.js";
import { loadModel, loadModelDocs, unloadModel, unloadModelDocs } from "../admin/models/memory.js";
import {
  cancelPull,
  cancelPullDocs,
  createPull,
  createPullDocs,
  getPull,
  getPullDocs,
  listPulls,
  listPullsDocs,
} from "../admin/models/pulls.js";
import type { HttpDeps } from "../deps.js";
import { forAllTeams, managementRoute, type Route } from "../route.js";

/** Before the routes of models, the names of which may contain slashes. */
function pullRoutes(deps: HttpDeps): readonly Route[] {
  const [all, one] = ["/admin/models/pulls", "/admin/models/pulls/:pullId"];
  return [
    forAllTeams(
      managementRoute("POST", "/admin/models/pull", "ManageModels", createPull(deps), createPullDocs),
    ),
    forAllTeams(managementRoute("GET", all, "ListModels", listPulls(deps), listPullsDocs)),
    forAllTeams(managementRoute("GET", one, "ListModels", getPull(deps), getPullDocs)),
    forAllTeams(managementRoute("DELETE", one, "ManageModels", cancelPull(deps), cancelPullDocs)),
  ];
}

/** Returns the routes that manage models. */
export function modelRoutes(deps: HttpDeps): readonly Route[] {
  const path = "/admin/models/*id";
  return [
    ...pullRoutes(deps),
    forAllTeams(
      managementRoute("POST", "/admin/models/load", "ManageModels", loadModel(deps), loadModelDocs),
    ),
    forAllTeams(
      managementRoute("POST", "/admin/models/unload", "ManageModels", unloadModel(deps), unloadModelDocs),
    ),
    forAllTeams(
      managementRoute("GET", "/admin/models", "ListModels", listAdminModels(deps), listAdminModelsDocs),
    ),
    forAllTeams(managementRoute("GET", path, "ListModels", getAdminModel(deps), getAdminModelDocs)),
    forAllTeams(
      managementRoute("DELETE", path, "ManageModels", deleteAdminModel(deps), deleteAdminModelDocs),
    ),
    forAllTeams(managementRoute("PUT", path, "ManageModels", updateAdminModel(deps), updateAdminModelDocs)),
  ];
}
