import { responseObject } from "../../dialects/response-fields.js";

/** The empty answer of a deletion. */
export const emptySchema = responseObject({}).meta({ id: "Empty", description: "The request succeeded." });
