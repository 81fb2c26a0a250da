/** The part of the route table that is the console's own. */
import { setPassword, setPasswordDocs } from "./api/password.js";
import { getSession, getSessionDocs, signOut, signOutDocs } from "./api/session.js";
import { signOutEverywhere, signOutEverywhereDocs } from "./api/sessions.js";
import { listSignInWays, listSignInWaysDocs, signIn, signInDocs } from "./api/sign-in.js";
import { callbackPath } from "./cookie.js";
import { finishOidc, finishOidcDocs } from "./oidc/callback.js";
import { startOidc, startOidcDocs } from "./oidc/start.js";
import type { HttpDeps } from "../deps.js";
import { pageRoute, publicRoute, sessionRoute, type Route } from "../route.js";
import {
  getConsole,
  getConsoleAsset,
  getConsoleAssetDocs,
  getConsoleDocs,
  getConsolePageDocs,
} from "./pages.js";

/** Returns the routes of the console. */
export function consoleRoutes(deps: HttpDeps): readonly Route[] {
  const page = getConsole();
  return [
    publicRoute("GET", "/console/oidc/start", startOidc(deps), startOidcDocs),
    publicRoute("GET", callbackPath, finishOidc(deps), finishOidcDocs),
    pageRoute("GET", "/console/api/sign-in", listSignInWays(deps), listSignInWaysDocs),
    publicRoute("GET", "/console", page, getConsoleDocs),
    publicRoute("GET", "/console/:page", page, getConsolePageDocs),
    publicRoute("GET", "/console/assets/:name", getConsoleAsset(), getConsoleAssetDocs),
    pageRoute("POST", "/console/api/sign-in", signIn(deps), signInDocs),
    sessionRoute("GET", "/console/api/session", getSession, getSessionDocs),
    sessionRoute("DELETE", "/console/api/session", signOut(deps), signOutDocs),
    sessionRoute("DELETE", "/console/api/sessions", signOutEverywhere(deps), signOutEverywhereDocs),
    sessionRoute("PUT", "/console/api/password", setPassword(deps), setPasswordDocs),
  ];
}
