/** POST and GET /auth/teams/{teamId}/api-keys: makes a key of a team, lists its keys page by page. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import { shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import {
  apiKeySchema,
  createdApiKeySchema,
  keyFields,
  presentCreatedKey,
  presentKey,
  settableFields,
} from "../../management/api-key.js";
import { flag, isTrue, read, texts } from "../../management/fields.js";
import { pageItems, pageSizeField, pageToken, pageTokenField, placeOf } from "../../management/pages.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const wishSchema = z
  .object({ name: z.string(), ...settableFields })
  .meta({ id: "ApiKeyWish", description: "A key to be made." });

const querySchema = z.object({
  pageSize: pageSizeField,
  paginationToken: pageTokenField,
  aclFilters: z
    .preprocess((value) => (typeof value === "string" ? [value] : value), texts.nullish())
    .describe("Only keys that hold each of these ACL strings, letter by letter."),
  activeOnly: flag.nullish().describe("Only keys that have not expired."),
});

const pageSchema = shape({
  apiKeys: shapes(apiKeySchema).describe("In order of creation."),
  paginationToken: z.string().optional().describe("Of the next page; not there on the last."),
}).meta({ id: "ApiKeyPage" });

/** Makes a key. */
export function createKey({ accounts }: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params, route }) => {
    const wish = read(wishSchema, body);
    authoriseManager(manager, route.endpointAcl);
    const { acls = [], ...fields } = keyFields(wish);
    const { key, secret } = await accounts.keys.create(
      { ...fields, name: wish.name, acls, teamId: params["teamId"] ?? "" },
      actorOf(manager),
    );
    ctx.body = presentCreatedKey(key, secret);
  };
}

/** Lists a page of keys. */
export function listKeys(
  deps: Pick<HttpDeps, "accounts" | "clock">,
): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    const query = read(querySchema, ctx.query);
    const place = placeOf(query.paginationToken, z.string(), "paginationToken");
    authoriseManager(manager, route.endpointAcl);
    const limit = pageItems(query.pageSize);
    const found = await deps.accounts.keys.page(
      {
        teamId: params["teamId"] ?? "",
        after: place === null ? null : { createTime: place[0], id: place[1] },
        acls: query.aclFilters ?? [],
        unexpiredAt: query.activeOnly != null && isTrue(query.activeOnly) ? deps.clock.now() : null,
        limit: limit + 1,
      },
      actorOf(manager),
    );
    const keys = found.slice(0, limit);
    const last = found.length > limit ? keys.at(-1) : undefined;
    const answer: z.infer<typeof pageSchema> = {
      apiKeys: keys.map(presentKey),
      ...(last === undefined ? {} : { paginationToken: pageToken([last.createTime, last.id]) }),
    };
    ctx.body = answer;
  };
}

const params = { teamId: "Id of a team that the management key is for." };

export const createKeyDocs: RouteDocs = {
  operation: "createApiKey",
  tag: "Accounts",
  summary: "Make an API key",
  description: "Its limits hold from its first request on; those of its team and the model hold beside them.",
  params,
  body: wishSchema,
  example: { name: "laptop", acls: ["api-key:endpoint:*", "api-key:model:*"] },
  answers: { 200: { description: "The key, with its secret.", schema: createdApiKeySchema } },
  errors: ["conflict"],
};

export const keyListDocs: RouteDocs = {
  operation: "listApiKeys",
  tag: "Accounts",
  summary: "List the API keys of a team",
  params,
  query: querySchema,
  answers: { 200: { description: "One page of keys.", schema: pageSchema } },
};
