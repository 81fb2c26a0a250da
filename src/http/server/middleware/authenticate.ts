import { readCredential } from "../../../accounts/credentials/read-credential.js";
import type { Principal } from "../../../accounts/principals/api-key.js";
import { noLabels } from "../../../accounts/principals/spend-labels.js";
import type { Manager } from "../../../accounts/principals/management-key.js";
import { toManager } from "../../../accounts/sessions/session.js";
import { HearthError } from "../../../core/errors.js";
import type { Context } from "../context.js";
import type { AppContext } from "../app-context.js";

/**
 * Authenticates the API key of a request; for a request of the console, the key of the member's sessions. The principal has the tags of
 * the request's header.
 * @param keyless the key of a request that presents none, or the placeholder of clients that must present one; null: there is none
 * @throws HearthError `unauthenticated`, `bad_credential` or `permission_denied`; `invalid_value` for the header.
 */
export async function authenticate(
  ctx: Context,
  app: AppContext,
  keyless: string | null,
): Promise<Principal> {
  const { signedIn } = ctx.state;
  const found: Principal =
    signedIn === null
      ? await app.authenticator.authenticate(
          chooseCredential(readCredential(ctx.req.headers), keyless),
          ctx.ip,
        )
      : await app.authenticator.admitSession(await app.accounts.signIn.apiKeyOf(signedIn), ctx.ip);
  ctx.state.principal = found;
  const tags = parseTags(ctx.get(tagsHeader));
  return tags.length === 0 ? found : { ...found, labels: { ...noLabels, tags } };
}

/** What Ollama's clients present to interfaces that want a key. */
const placeholder = "ollama";

function chooseCredential(presented: string | null, keyless: string | null): string | null {
  return keyless !== null && (presented === null || presented === placeholder) ? keyless : presented;
}

/** Authenticates the management key of a request, or the member of a request of the console. @throws the same errors as `authenticate`. */
export async function authenticateManager(
  ctx: Context,
  { managerAuthenticator: managers }: AppContext,
): Promise<Manager> {
  const { signedIn } = ctx.state;
  const manager =
    signedIn === null
      ? await managers.authenticate(readCredential(ctx.req.headers), ctx.ip)
      : toManager(signedIn);
  ctx.state.manager = manager;
  return manager;
}

const tagsHeader = "x-hearth-tags";

/** Tags of one request. */
const tagsMax = 16;
const tagCharsMax = 128;

/** Returns the tags of a header such as `project-x, env:prod`, each once. @throws HearthError `invalid_value` that names the header. */
function parseTags(header: string): readonly string[] {
  const tags = [...new Set(header.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
  if (tags.length > tagsMax) throw invalidHeader(`must have at most ${tagsMax} tags`);
  for (const tag of tags) {
    if (tag.length > tagCharsMax) throw invalidHeader(`must have tags of at most ${tagCharsMax} characters`);
    if (!/^[ -~]+$/.test(tag)) throw invalidHeader("must have printable ASCII characters only");
    if (tag === "*")
      throw invalidHeader("must not have the tag *, which stands for all that are not counted");
  }
  return tags;
}

function invalidHeader(what: string): HearthError {
  return new HearthError("invalid_value", `${tagsHeader}: ${what}`, { param: tagsHeader });
}
