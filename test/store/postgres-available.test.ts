import { expect, it } from "vitest";
import config from "../../vitest.config.js";
import { postgresUnavailable } from "../kit/databases/postgres/available.js";

const reason = postgresUnavailable(process.env);
const name =
  reason === null
    ? "the tests of what is stored run on PostgreSQL, too"
    : `the tests of what is stored run on SQLite only, because ${reason}`;

it(name, () => {
  const projects = config.test?.projects ?? [];
  const [postgres] = projects.filter(
    (project) => typeof project === "object" && "test" in project && project.test?.name === "postgres",
  );
  const included = typeof postgres === "object" && "test" in postgres ? (postgres.test?.include ?? []) : [];
  expect(included.length > 0).toBe(reason === null);
});
