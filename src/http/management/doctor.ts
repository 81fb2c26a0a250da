/** GET /admin/doctor, an extension: what `hearth doctor` prints, of the running server. */
import { z } from "zod";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { managementRoute } from "../server/route.js";

const doctorSchema = responseObject({
  object: z.literal("doctor"),
  settings: responseArray(
    responseObject({
      name: z.string(),
      value: z.string().describe("The effective value; of a secret `set` or `not set`."),
      source: z
        .string()
        .describe(
          "`default` or `platformDefault`, the file's path, the variable's name, or an option such as `--port`.",
        ),
      variable: z.string().describe("The environment variable that sets it."),
    }),
  ),
  checks: responseArray(
    responseObject({
      name: z.string().describe("What was checked, such as `backup` or `model NAME`."),
      ok: z.boolean(),
      warning: z
        .literal(true)
        .optional()
        .describe("Present where the server works, but something is missing or should be done."),
      detail: z.string().describe("What was found, and what to do about it."),
    }),
  ),
}).meta({ id: "Doctor" });

/** Returns the report. */
export const getDoctor = managementRoute({
  method: "GET",
  path: "/admin/doctor",
  acl: "ServerRead",
  forAllTeams: true,
  docs: {
    operation: "getDoctor",
    tag: "Server",
    summary: "Get the effective settings and the checks of the server",
    description:
      "An extension of Hearth, for a management key for all teams; the key of a member needs the role `owner`. The settings are those that " +
      "the server was started with.",
    answers: { 200: { description: "The report.", schema: doctorSchema } },
  },
  async handle({ ctx }, { doctor }) {
    const answer: z.infer<typeof doctorSchema> = { object: "doctor", ...(await doctor()) };
    ctx.body = answer;
  },
});
