import { describe, expect, it } from "vitest";
import { examineSettings, loadConfig, nameVariable, type ConfigName } from "../../src/config/config.js";
import { modelSettingsSchema } from "../../src/models/settings.js";
import { describeIssue } from "../../src/system/describe-issue.js";
import { plantFiles } from "../kit/folder.js";

/** Words of the schemas' library, which say nothing to a person. */
const jargon = /Invalid|expected|received|NaN|Too (big|small)|Unrecognized|undefined|\[object/;
const names = Object.keys(loadConfig({}).sources) as ConfigName[];
const hostile: readonly unknown[] = [
  ...["abc", "", "-1", "9e99", "x:y", "\u0000", -1, 1.5, 1e300, true, null, [], [1], [{}], {}, { a: 1 }],
];

describe("an error of a setting is in words", () => {
  it("for every setting of the file, whatever is written there", () => {
    const folder = plantFiles(
      Object.fromEntries(
        hostile.map((value, at) => [
          `${at}.yaml`,
          JSON.stringify(Object.fromEntries(names.map((name) => [name, value]))),
        ]),
      ),
    );
    const problems = hostile.flatMap((_, at) => examineSettings({}, `${folder}/${at}.yaml`).problems);
    // At least one value is wrong for nearly every setting.
    expect(problems.length).toBeGreaterThan(names.length);
    expect(problems.filter((problem) => jargon.test(problem))).toEqual([]);
  });

  it("for every variable, whatever it has", () => {
    const wrong = names.flatMap((name) =>
      hostile
        .filter((value) => typeof value === "string")
        .flatMap((value) => examineSettings({ [nameVariable(name)]: value }).problems)
        .filter((problem) => jargon.test(problem)),
    );
    expect(wrong).toEqual([]);
  });

  it("for every setting of a model, whatever it is set to", () => {
    const wrong = Object.keys(modelSettingsSchema.shape).flatMap((name) =>
      hostile.flatMap((value) => {
        const parsed = modelSettingsSchema.safeParse({ [name]: value });
        const texts = parsed.success ? [] : parsed.error.issues.map(describeIssue);
        return texts.filter((text) => jargon.test(text)).map((text) => `${name}: ${text}`);
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe("what is wrong with a configuration", () => {
  it("is listed as a whole, with the setting that was meant, and the rest of it is kept", () => {
    const environment = { HEARTH_PORT: "abc", HEARTH_HSOT: "::1", HEARTH_QUEUE_DEPTH_MAX: "7" };
    const { loaded, problems } = examineSettings(environment);
    expect(problems).toEqual([
      "unknown environment variable HEARTH_HSOT; did you mean HEARTH_HOST?",
      "port (set by HEARTH_PORT): must be a whole number from 0 to 65,535",
    ]);
    expect(loaded.config).toMatchObject({ port: 4280, queueDepthMax: 7 });
    expect(loaded.sources).toMatchObject({ port: "default", queueDepthMax: "HEARTH_QUEUE_DEPTH_MAX" });
    expect(() => loadConfig(environment)).toThrow(problems.join("; "));
  });

  it("leaves the variables, where the file cannot be read", () => {
    const folder = plantFiles({ "hearth.yaml": "port: [4280\n" });
    const { loaded, problems } = examineSettings({ HEARTH_PORT: "8080" }, `${folder}/hearth.yaml`);
    expect(problems).toEqual([expect.stringContaining("cannot read the configuration file")]);
    expect(loaded.config.port).toBe(8080);
  });

  it("names the setting that a file means", () => {
    const folder = plantFiles({ "hearth.yaml": "prot: 4280\n" });
    expect(examineSettings({}, `${folder}/hearth.yaml`).problems).toEqual([
      expect.stringContaining("unknown setting 'prot'; did you mean port?"),
    ]);
  });
});
