/** Models, as commands of the operator change them. Each command sees the folders and settings as they are when it runs. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import type { Model } from "../../../core/model.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { resolveModel } from "../../../models/closest-names.js";
import type { ModelsContext } from "../../server/app-context.js";
import type { OperatorRoute } from "../../server/route.js";

const querySchema = z.object({ model: z.string() });

const findModel: OperatorRoute<ModelsContext> = {
  method: "GET",
  path: "/operator/models",
  async handle({ ctx }, app) {
    ctx.body = present(await resolve(app, parseFields(querySchema, ctx.query).model), app);
  },
};

const changeSchema = z.object({ model: z.string(), change: z.record(z.string(), z.unknown()) });

const setModel: OperatorRoute<ModelsContext> = {
  method: "PUT",
  path: "/operator/models",
  async handle({ ctx, manager, body }, app) {
    const { model, change } = parseFields(changeSchema, body);
    const { id } = (await resolve(app, model)).manifest;
    await app.modelAdmin.set(id, change, toActor(manager));
    ctx.body = present(resolveModel(app.models, id), app);
  },
};

const deleteModel: OperatorRoute<ModelsContext> = {
  method: "DELETE",
  path: "/operator/models",
  async handle({ ctx, manager }, app) {
    const model = await resolve(app, parseFields(querySchema, ctx.query).model);
    await app.modelAdmin.remove(model, toActor(manager));
    ctx.body = {};
  },
};

const aliasSchema = z.object({ alias: z.string(), model: z.string() });

/** Answers with the id of the model, and the id of the one that the name led to before; null if it led to none. */
const setAlias: OperatorRoute<ModelsContext> = {
  method: "PUT",
  path: "/operator/model-aliases",
  async handle({ ctx, manager, body }, app) {
    const { alias, model: name } = parseFields(aliasSchema, body);
    const model = await resolve(app, name);
    const before = app.modelAdmin.sources.aliases().find((each) => each.alias === alias);
    await app.modelAdmin.setAlias(alias, model, toActor(manager));
    ctx.body = { model: model.manifest.id, before: before?.model ?? null };
  },
};

const deleteAlias: OperatorRoute<ModelsContext> = {
  method: "DELETE",
  path: "/operator/model-aliases",
  async handle({ ctx, manager }, { modelAdmin }) {
    const { alias } = parseFields(z.object({ alias: z.string() }), ctx.query);
    await modelAdmin.reload();
    ctx.body = { model: await modelAdmin.removeAlias(alias, toActor(manager)) };
  },
};

/** Records that a command has pulled a model. */
const addPulled: OperatorRoute<ModelsContext> = {
  method: "POST",
  path: "/operator/pulled-models",
  async handle({ ctx, manager, body }, { modelAdmin }) {
    const { what, id } = parseFields(z.object({ what: z.string(), id: z.string().nullable() }), body);
    await modelAdmin.addPulled(what, id, toActor(manager));
    ctx.body = {};
  },
};

export const modelRoutes = [findModel, setModel, deleteModel, setAlias, deleteAlias, addPulled] as const;

async function resolve({ models, modelAdmin }: ModelsContext, name: string): Promise<Model> {
  await modelAdmin.reload();
  return resolveModel(models, name);
}

export type OperatorModel = ReturnType<typeof present>;

function present(
  { manifest: { id, kind, prices, contextTokens }, unusable }: Model,
  { modelAdmin }: ModelsContext,
) {
  const settings = modelAdmin.sources.settings(id);
  return { id, kind, prices, contextTokens, unusable, settings, adapters: modelAdmin.listAdapters(id) };
}
