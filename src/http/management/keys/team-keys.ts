/** POST and GET /auth/teams/{teamId}/api-keys: creates a key of a team, lists its keys in pages. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { checkSettings } from "../../../accounts/keys/setting-rules.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import {
  createdApiKeySchema,
  listedApiKeySchema,
  presentCreatedKey,
  presentListedKey,
} from "./present-key.js";
import { newKeyRequests, toKeyChange } from "./setting-fields.js";
import {
  booleanField,
  isTrue,
  parseFields,
  parseFieldsInOrder,
  stringList,
} from "../../../dialects/management/fields.js";
import { createPages } from "../../../dialects/management/pages.js";
import { accountRoute } from "../../server/route.js";

const requestSchema = z
  .object({ ...newKeyRequests, name: z.string() })
  .meta({ id: "CreateApiKeyRequest", description: "The key to create." });

const pages = createPages(z.string());

const querySchema = z.object({
  ...pages.query,
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
  ...pages.answer,
}).meta({ id: "ApiKeyPage" });

const params = { teamId: "Id of a team that the management key may manage." };

/** Creates a key. */
export const createApiKey = accountRoute({
  method: "POST",
  path: "/auth/teams/:teamId/api-keys",
  acl: "CreateApiKey",
  docs: {
    operation: "createApiKey",
    tag: "Accounts",
    summary: "Create an API key",
    description: "The limits of the key apply in addition to the limits of its team on a model.",
    params,
    body: requestSchema,
    example: { name: "laptop", acls: ["api-key:endpoint:*", "api-key:model:*"] },
    answers: { 200: { description: "The key, with its secret.", schema: createdApiKeySchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts, clock }) {
    const request = parseFieldsInOrder(requestSchema, body, (fields) =>
      checkSettings(toKeyChange(fields), clock.now()),
    );
    const { acls = [], ...fields } = toKeyChange(request);
    const { key, secret } = await accounts.keys.create(
      { ...fields, name: request.name, acls, teamId: params["teamId"] ?? "" },
      toActor(manager),
    );
    ctx.body = presentCreatedKey(key, secret);
  },
});

/** Lists a page of keys. */
export const listApiKeys = accountRoute({
  method: "GET",
  path: "/auth/teams/:teamId/api-keys",
  acl: "ListApiKeys",
  docs: {
    operation: "listApiKeys",
    tag: "Accounts",
    summary: "List the API keys of a team",
    description:
      "As in the hosted service, a member with the role `member` sees and changes only keys that they created.",
    params,
    query: querySchema,
    answers: { 200: { description: "One page of keys.", schema: pageSchema } },
  },
  async handle({ ctx, manager, params }, app) {
    const query = parseFields(querySchema, ctx.query);
    const { limit, after } = pages.read(query);
    const found = await app.accounts.keys.page(
      {
        teamId: params["teamId"] ?? "",
        userId: null,
        after: after === null ? null : { createTime: after[0], id: after[1] },
        acls: query.aclFilters ?? [],
        text: query.query ?? null,
        unexpiredAt: query.activeOnly != null && isTrue(query.activeOnly) ? app.clock.now() : null,
        limit: limit + 1,
      },
      toActor(manager),
    );
    const { items: keys, ...next } = pages.cut(found, limit, ({ createTime, id }) => [createTime, id]);
    const consoleKeyIds = await app.accounts.keys.consoleKeyIds(keys);
    const answer: z.infer<typeof pageSchema> = {
      apiKeys: keys.map((key) => presentListedKey(key, consoleKeyIds.has(key.id))),
      ...next,
    };
    ctx.body = answer;
  },
});
