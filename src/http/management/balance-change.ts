/** What came to a team's credit or went from it, as the billing routes tell it. */
import { z } from "zod";
import { shape } from "../../dialects/shape.js";
import { time } from "./timestamp.js";
import { cents } from "./cents.js";

export const balanceChange = shape({
  teamId: z.string(),
  changeOrigin: z
    .enum(["PURCHASE", "REFUND", "MANUAL", "SPEND"])
    .describe("Bought, paid back, corrected by the operator, or spent on a day."),
  topupStatus: z.literal("SUCCEEDED").optional().describe("Of a purchase, which is made at once."),
  amount: cents.describe("Negative where it is credit that came."),
  createTime: time,
}).meta({ id: "BalanceChange" });
