/** The tools without parameters of their own, as functions for the model, and the fields of their calls as OpenAI publishes them. */
import type { Tool } from "../../../core/generation.js";
import type { TypedCall } from "./call-forms.js";

const optionalMs = { type: "integer", minimum: 1, description: "Time limit in milliseconds." };

export const typedTools: Readonly<Record<Exclude<TypedCall, "tool_search">, Tool>> = {
  local_shell: {
    name: "local_shell",
    description: "Runs a program on the user's computer.",
    parameters: describeObject(
      {
        command: {
          type: "array",
          items: { type: "string" },
          minItems: 1,
          description: "The program and its arguments.",
        },
        timeout_ms: optionalMs,
        working_directory: { type: "string" },
      },
      ["command"],
    ),
  },
  shell: {
    name: "shell",
    description: "Runs shell commands on the user's computer.",
    parameters: describeObject(
      {
        commands: { type: "array", items: { type: "string" }, minItems: 1 },
        timeout_ms: optionalMs,
        max_output_length: {
          type: "integer",
          minimum: 1,
          description: "Maximum characters of the output of each command.",
        },
      },
      ["commands"],
    ),
  },
  apply_patch: {
    name: "apply_patch",
    description:
      "Creates, updates or deletes a file. The diff has @@ before each section; its lines begin with a space, with - if they are removed, or with + if they are added. A new file has only lines with +.",
    parameters: {
      type: "object",
      oneOf: [
        operation(["create_file", "update_file"], ["path", "diff"]),
        operation(["delete_file"], ["path"]),
      ],
    },
  },
};

function operation(types: readonly string[], fields: readonly string[]) {
  const texts = fields.map((name) => [name, { type: "string" }] as const);
  return describeObject({ type: { type: "string", enum: types }, ...Object.fromEntries(texts) }, [
    "type",
    ...fields,
  ]);
}

function describeObject(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}
