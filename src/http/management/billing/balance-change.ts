/** A change of a team's credit in answers of the billing endpoints. */
import { z } from "zod";
import { responseObject } from "../../../dialects/response-fields.js";
import { timeSchema } from "../../../dialects/management/answers.js";
import { cents } from "./cents.js";

export const balanceChange = responseObject({
  teamId: z.string(),
  changeOrigin: z
    .enum(["PURCHASE", "REFUND", "MANUAL", "SPEND"])
    .describe("Purchase, refund, correction by the operator, or spending of one day."),
  topupStatus: z
    .literal("SUCCEEDED")
    .optional()
    .describe("Present for purchases, which succeed immediately."),
  amount: cents.describe("Negative if credit was added."),
  createTime: timeSchema,
}).meta({ id: "BalanceChange" });

export type WireBalanceChange = z.infer<typeof balanceChange>;
