/**
 * Parses answers of the billing endpoints as a client generated from the published protobuf definitions of the management interface
 * does (xai-org/xai-proto, proto/xai/management_api/v1/billing.proto and shared/analytics/analytics.proto), in the JSON mapping of
 * protobuf: unknown fields are errors, 64-bit integers are strings or numbers, absent fields have their default values.
 */

type Scalar = "string" | "int32" | "int64" | "double" | "bool" | "Timestamp";

type Field = Scalar | readonly [Field] | { readonly oneOf: readonly string[] } | { readonly message: string };

const cent = { message: "Cent" } as const;
const cycle = { message: "BillingCycle" } as const;

const messages: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  Cent: { val: "int64" },
  BillingCycle: { year: "int32", month: "int32" },
  Line: {
    clusterName: "string",
    description: "string",
    unitType: "string",
    unitPrice: "int64",
    numUnits: "int64",
    amount: "int64",
  },
  CoreInvoice: {
    lines: [{ message: "Line" }],
    amountBeforeVat: "int64",
    vatCost: "int64",
    amountAfterVat: "int64",
    autoCreditsIssued: "int64",
    defaultCreditsIssued: "int64",
    totalWithCorr: cent,
    prepaidCredits: cent,
    prepaidCreditsUsed: cent,
  },
  GetAmountToPayResp: {
    coreInvoice: { message: "CoreInvoice" },
    effectiveSpendingLimit: "int64",
    defaultCredits: "int64",
    billingCycle: cycle,
  },
  PrepaidBalanceChange: {
    teamId: "string",
    changeOrigin: { oneOf: ["INVALID_ORIGIN", "PURCHASE", "SPEND", "REFUND", "MANUAL"] },
    topupStatus: {
      oneOf: [
        "INVALID_STATUS",
        "TO_GENERATE_INVOICE",
        "FAILED_TO_GENERATE_INVOICE",
        "TO_CHARGE",
        "FAILED_TO_CHARGE",
        "SUCCEEDED",
      ],
    },
    amount: cent,
    invoiceId: "string",
    invoiceNumber: "string",
    createTime: "Timestamp",
    spendBpKeyYear: "int32",
    spendBpKeyMonth: "int32",
    createTs: "Timestamp",
  },
  ListPrepaidBalanceChangesResp: { changes: [{ message: "PrepaidBalanceChange" }], total: cent },
  TopUpOrGetExistingPendingChangeResp: { change: { message: "PrepaidBalanceChange" } },
  SpendingLimits: {
    hardSlOverride: cent,
    hardSlAuto: cent,
    effectiveHardSl: cent,
    softSl: cent,
    effectiveSl: cent,
  },
  GetSpendingLimitsResp: { spendingLimits: { message: "SpendingLimits" } },
  SetSoftSpendingLimitResp: { thisBpSoftSpendingLimit: cent },
  DataPoint: { timestamp: "Timestamp", values: ["double"] },
  TimeSeries: { group: ["string"], groupLabels: ["string"], dataPoints: [{ message: "DataPoint" }] },
  AnalyticsResponse: { timeSeries: [{ message: "TimeSeries" }], limitReached: "bool" },
};

/** Parses the JSON of a message; 64-bit integers become bigint. @throws Error that names the field which a client would refuse. */
export function parseMessage(name: string, json: unknown): unknown {
  return parseObject(name, json, name);
}

function parseObject(name: string, json: unknown, at: string): unknown {
  const fields = messages[name];
  if (fields === undefined) throw new Error(`no such message: ${name}`);
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw refused(at, json);
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      const field = fields[key];
      if (field === undefined) throw new Error(`${at}.${key}: unknown field`);
      return [key, parseField(field, value, `${at}.${key}`)];
    }),
  );
}

function parseField(field: Field, json: unknown, at: string): unknown {
  if (typeof field === "string") return parseScalar(field, json, at);
  if ("message" in field) return parseObject(field.message, json, at);
  if ("oneOf" in field) {
    if (typeof json !== "string" || !field.oneOf.includes(json)) throw refused(at, json);
    return json;
  }
  if (!Array.isArray(json)) throw refused(at, json);
  return json.map((each, index) => parseField(field[0], each, `${at}[${index}]`));
}

function parseScalar(type: Scalar, json: unknown, at: string): unknown {
  const isText = typeof json === "string";
  if (type === "string" && isText) return json;
  if (type === "bool" && typeof json === "boolean") return json;
  if (type === "Timestamp" && isText && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(json))
    return Date.parse(json);
  if (type === "double" && typeof json === "number") return json;
  if (
    (type === "int32" || type === "int64") &&
    /^-?\d+$/.test(String(json)) &&
    (isText || Number.isInteger(json))
  )
    return type === "int64" ? BigInt(String(json)) : Number(json);
  throw refused(at, json);
}

function refused(at: string, json: unknown): Error {
  return new Error(`${at}: a client refuses ${JSON.stringify(json)}`);
}
