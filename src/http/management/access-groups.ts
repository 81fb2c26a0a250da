/** GET and POST /auth/access-groups, GET, PUT and DELETE /auth/access-groups/{groupName}: named lists of ACLs. */
import { z } from "zod";
import { toActor } from "../../accounts/visibility.js";
import type { AccessGroup } from "../../accounts/groups/access-group.js";
import type { AccessGroupChange } from "../../accounts/groups/access-groups.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { applyFieldMask, fieldMaskField } from "../../dialects/management/field-mask.js";
import { definedFields, parseFields, stringList } from "../../dialects/management/fields.js";
import { emptySchema, timeSchema, timestamp } from "../../dialects/management/answers.js";
import { accountRoute } from "../server/route.js";

const aclsField = stringList.describe(
  "`api-key:endpoint:<name>` and `api-key:model:<name>`; `*` matches all names.",
);
const descriptionField = z.string().describe("At most 500 characters.");

const createRequestSchema = z
  .object({
    name: z.string().describe("1 to 64 letters, digits, dots, hyphens and underscores."),
    description: descriptionField.nullish(),
    acls: aclsField,
  })
  .meta({ id: "CreateAccessGroupRequest", description: "The group to create." });

const updateRequestSchema = z
  .object({
    accessGroup: z.object({ description: descriptionField.nullish(), acls: aclsField.nullish() }).nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateAccessGroupRequest",
    description: "The fields to change; without a mask, the fields that are set.",
  });

const accessGroupSchema = responseObject({
  name: z.string(),
  acl: z.string().describe("The ACL that gives a key or a team the group."),
  description: z.string(),
  acls: responseArray(z.string()),
  createTime: timeSchema,
  modifyTime: timeSchema,
}).meta({ id: "AccessGroup" });

export type WireAccessGroup = z.infer<typeof accessGroupSchema>;

const listSchema = responseObject({
  accessGroups: responseArray(accessGroupSchema).describe("In order of name."),
}).meta({ id: "AccessGroups" });

const params = { groupName: "Name of an access group." };
const example = { name: "small-models", acls: ["api-key:endpoint:chat", "api-key:model:hearth-tiny-5m"] };

/** Lists all access groups. */
export const listAccessGroups = accountRoute({
  method: "GET",
  path: "/auth/access-groups",
  acl: "ListAccessGroups",
  docs: {
    operation: "listAccessGroups",
    tag: "Accounts",
    summary: "List the access groups",
    answers: { 200: { description: "The groups.", schema: listSchema } },
  },
  async handle({ ctx }, { accounts }) {
    const answer: z.infer<typeof listSchema> = {
      accessGroups: (await accounts.accessGroups.list()).map(presentGroup),
    };
    ctx.body = answer;
  },
});

export const getAccessGroup = accountRoute({
  method: "GET",
  path: "/auth/access-groups/:groupName",
  acl: "ListAccessGroups",
  docs: {
    operation: "getAccessGroup",
    tag: "Accounts",
    summary: "Get an access group",
    params,
    answers: { 200: { description: "The group.", schema: accessGroupSchema } },
  },
  async handle({ ctx, params }, { accounts }) {
    ctx.body = presentGroup(await accounts.accessGroups.find(params["groupName"] ?? ""));
  },
});

export const createAccessGroup = accountRoute({
  method: "POST",
  path: "/auth/access-groups",
  acl: "CreateAccessGroup",
  forAllTeams: true,
  docs: {
    operation: "createAccessGroup",
    tag: "Accounts",
    summary: "Create an access group",
    description:
      "A named list of ACLs, which keys and teams are given by the ACL `api-key:group:<name>`. Requires a management key for all teams.",
    body: createRequestSchema,
    example,
    answers: { 200: { description: "The group.", schema: accessGroupSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body }, { accounts }) {
    const { name, description, acls } = parseFields(createRequestSchema, body);
    const group = { name, description: description ?? "", acls };
    ctx.body = presentGroup(await accounts.accessGroups.create(group, toActor(manager)));
  },
});

export const updateAccessGroup = accountRoute({
  method: "PUT",
  path: "/auth/access-groups/:groupName",
  acl: "UpdateAccessGroup",
  forAllTeams: true,
  docs: {
    operation: "updateAccessGroup",
    tag: "Accounts",
    summary: "Change an access group",
    description:
      "The change is effective at the next request of each key that has the group. Requires a management key for all teams.",
    params,
    body: updateRequestSchema,
    example: { accessGroup: { acls: example.acls }, fieldMask: "acls" },
    answers: { 200: { description: "The group.", schema: accessGroupSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { accessGroup, fieldMask } = parseFields(updateRequestSchema, body);
    const given: AccessGroupChange = definedFields({
      description: accessGroup?.description,
      acls: accessGroup?.acls,
    });
    const change: AccessGroupChange = applyFieldMask(given, { description: "", acls: [] }, fieldMask);
    const group = await accounts.accessGroups.update(params["groupName"] ?? "", change, toActor(manager));
    ctx.body = presentGroup(group);
  },
});

export const deleteAccessGroup = accountRoute({
  method: "DELETE",
  path: "/auth/access-groups/:groupName",
  acl: "DeleteAccessGroup",
  forAllTeams: true,
  docs: {
    operation: "deleteAccessGroup",
    tag: "Accounts",
    summary: "Delete an access group",
    description:
      "A group that keys or teams have cannot be deleted: 409 says how many. Requires a management key for all teams.",
    params,
    answers: { 200: { description: "An empty object.", schema: emptySchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, params }, { accounts }) {
    await accounts.accessGroups.remove(params["groupName"] ?? "", toActor(manager));
    ctx.body = {};
  },
});

function presentGroup(group: AccessGroup): WireAccessGroup {
  const { name, description, acls } = group;
  return {
    name,
    acl: `api-key:group:${name}`,
    description,
    acls: [...acls],
    createTime: timestamp(group.createTime),
    modifyTime: timestamp(group.modifyTime),
  };
}
