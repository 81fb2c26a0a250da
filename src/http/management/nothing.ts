import { shape } from "../../dialects/shape.js";

/** What is told when a thing is gone. */
export const nothing = shape({}).meta({ id: "Nothing", description: "It is done." });
