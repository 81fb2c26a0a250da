import { finishOidc } from "./oidc/callback.js";
import { startOidc } from "./oidc/start.js";
import { getConsole, getConsoleAsset, getConsolePage } from "./pages.js";
import { setPassword } from "./password.js";
import { getSession, signOut, signOutEverywhere } from "./session.js";
import { listSignInWays, signIn } from "./sign-in.js";
import type { Route } from "../server/route.js";

/** The console: its pages, and the routes of its own. */
export const consoleRoutes: readonly Route[] = [
  startOidc,
  finishOidc,
  listSignInWays,
  getConsole,
  getConsolePage,
  getConsoleAsset,
  signIn,
  getSession,
  signOut,
  signOutEverywhere,
  setPassword,
];
