/** POST and GET /auth/teams/{teamId}/api-keys: creates a key of a team, lists its keys in pages. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import { checkSettings } from "../../../accounts/keys/key-settings.js";
import { responseObject, responseArray } from "../../../dialects/response-fields.js";
import type { HttpDeps } from "../../deps.js";
import {
  listedApiKeySchema,
  createdApiKeySchema,
  toKeyChange,
  presentCreatedKey,
  presentListedKey,
  settableKeyFields,
} from "../../management/api-key.js";
import {
  booleanField,
  isTrue,
  parseFields,
  parseFieldsInOrder,
  stringList,
} from "../../management/fields.js";
import {
  itemsPerPage,
  pageSizeField,
  encodePageToken,
  pageTokenField,
  decodePageToken,
  nextPageField,
} from "../../management/pages.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const requestSchema = z
  .object({ name: z.string(), ...settableKeyFields })
  .meta({ id: "CreateApiKeyRequest", description: "The key to create." });

const querySchema = z.object({
  pageSize: pageSizeField,
  paginationToken: pageTokenField,
  aclFilters: z
    .preprocess((value) => (typeof value === "string" ? [value] : value), stringList.nullish())
    .describe("Only keys that have each of these exact ACL strings."),
  query: z
    .string()
    .max(100, "must have at most 100 characters")
    .nullish()
    .describe(
      "Only keys whose name or redacted form contains this text, whatever the case of ASCII letters.",
    ),
  activeOnly: booleanField.nullish().describe("Only keys that have not expired."),
});

const pageSchema = responseObject({
  apiKeys: responseArray(listedApiKeySchema).describe("In order of creation."),
  paginationToken: nextPageField,
}).meta({ id: "ApiKeyPage" });

/** Creates a key. */
export function createApiKey({
  accounts,
  clock,
}: Pick<HttpDeps, "accounts" | "clock">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params }) => {
    const request = parseFieldsInOrder(requestSchema, body, (fields) =>
      checkSettings(toKeyChange(fields), clock.now()),
    );
    const { acls = [], ...fields } = toKeyChange(request);
    const { key, secret } = await accounts.keys.create(
      { ...fields, name: request.name, acls, teamId: params["teamId"] ?? "" },
      actorOf(manager),
    );
    ctx.body = presentCreatedKey(key, secret);
  };
}

/** Lists a page of keys. */
export function listApiKeys(
  deps: Pick<HttpDeps, "accounts" | "clock">,
): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    const query = parseFields(querySchema, ctx.query);
    const position = decodePageToken(query.paginationToken, z.string(), "paginationToken");
    const limit = itemsPerPage(query.pageSize);
    const found = await deps.accounts.keys.page(
      {
        teamId: params["teamId"] ?? "",
        userId: null,
        after: position === null ? null : { createTime: position[0], id: position[1] },
        acls: query.aclFilters ?? [],
        text: query.query ?? null,
        unexpiredAt: query.activeOnly != null && isTrue(query.activeOnly) ? deps.clock.now() : null,
        limit: limit + 1,
      },
      actorOf(manager),
    );
    const keys = found.slice(0, limit);
    const last = found.length > limit ? keys.at(-1) : undefined;
    const consoleKeyIds = await deps.accounts.keys.consoleKeyIds(keys);
    const answer: z.infer<typeof pageSchema> = {
      apiKeys: keys.map((key) => presentListedKey(key, consoleKeyIds.has(key.id))),
      ...(last === undefined ? {} : { paginationToken: encodePageToken([last.createTime, last.id]) }),
    };
    ctx.body = answer;
  };
}

const params = { teamId: "Id of a team that the management key may manage." };

export const createApiKeyDocs: RouteDocs = {
  operation: "createApiKey",
  tag: "Accounts",
  summary: "Create an API key",
  description: "The limits of the key apply in addition to those of its team on a model.",
  params,
  body: requestSchema,
  example: { name: "laptop", acls: ["api-key:endpoint:*", "api-key:model:*"] },
  answers: { 200: { description: "The key, with its secret.", schema: createdApiKeySchema } },
  errors: ["conflict"],
};

export const listApiKeysDocs: RouteDocs = {
  operation: "listApiKeys",
  tag: "Accounts",
  summary: "List the API keys of a team",
  description:
    "As in the hosted service, a member with the role `member` sees and changes only keys that they created.",
  params,
  query: querySchema,
  answers: { 200: { description: "One page of keys.", schema: pageSchema } },
};
