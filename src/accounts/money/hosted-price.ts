import type { Row } from "../../store/tables.js";

/** The price list of a hosted service for a model name, in ticks per token. A later version replaces it. */
export type HostedPrice = Omit<Row<"hostedPrices">, "id">;
