import { describe, expect, it } from "vitest";
import { describeGpu, type GpuFacts } from "../../src/engine/gpu/report.js";
import { engineVersion } from "../../src/system/version.js";
import { runProgram } from "../kit/program.js";
import { commandEnvironment } from "./models/environment.js";

const vulkan = ["linux-x64-vulkan"];
const withCuda = [...vulkan, "linux-x64-cuda"];
const machine: GpuFacts = {
  setting: "auto",
  seen: "nvidia",
  used: null,
  platform: "linux-x64",
  binaries: vulkan,
  installed: { kind: "checkout", folder: "/hearth" },
};
const command = `npm install --no-save @node-llama-cpp/linux-x64-cuda@${engineVersion} @node-llama-cpp/linux-x64-cuda-ext@${engineVersion}`;

describe("hearth doctor, about the GPU", () => {
  it.each<[string, Partial<GpuFacts>, boolean, string]>([
    [
      "prints the line that adds CUDA where an NVIDIA GPU has no binaries",
      {},
      true,
      `not used, models run on the CPU: the NVIDIA GPU cannot be used; CUDA binaries are not installed: ${command}`,
    ],
    [
      "prints the line of a program that npm installed for all users",
      { installed: { kind: "global", folder: "/usr/lib/node_modules/hearth" } },
      true,
      `not used, models run on the CPU: the NVIDIA GPU cannot be used; CUDA binaries are not installed: ${command.replace("--no-save", "--global")}`,
    ],
    [
      "prints it, too, where Vulkan is used instead",
      { used: { device: "vulkan", totalBytes: 24e9, freeBytes: 20e9, isUnified: false } },
      true,
      `vulkan, 24.0 GB; CUDA binaries are not installed: ${command}`,
    ],
    [
      "names what CUDA needs where its binaries are installed but cannot be used",
      { binaries: withCuda },
      true,
      "not used, models run on the CPU: the NVIDIA GPU cannot be used; CUDA needs CUDA 12 or 13 (libcudart, libcublas) and its driver",
    ],
    [
      "names device and memory of the GPU that is used",
      { used: { device: "cuda", totalBytes: 80e9, freeBytes: 70e9, isUnified: false }, binaries: withCuda },
      true,
      "cuda, 80.0 GB",
    ],
    [
      "says that the Vulkan binaries were removed",
      { seen: "other", binaries: [] },
      true,
      "not used, models run on the CPU: the Vulkan binaries were removed, perhaps by `npm run slim`; `npm ci` installs them",
    ],
    [
      "names the driver and the loader of Vulkan",
      { seen: "other" },
      true,
      "not used, models run on the CPU: llama.cpp cannot use a GPU here; Vulkan needs its driver and its loader (libvulkan1)",
    ],
    [
      "says that a platform has no CUDA binaries",
      { platform: "linux-arm64", binaries: [] },
      true,
      "not used, models run on the CPU: the NVIDIA GPU cannot be used; there are no CUDA binaries for linux-arm64",
    ],
    [
      "fails where the settings ask for a GPU that is not there",
      { setting: "cuda", seen: "none" },
      false,
      "the setting `gpu` is cuda, but no GPU was found",
    ],
  ])("%s", (_, changes, ok, detail) => {
    expect(describeGpu({ ...machine, ...changes })).toEqual({ ok, detail });
  });

  it("prints a line and says when the settings switch it off", async () => {
    const doctor = runProgram(["doctor"], commandEnvironment().environment);
    expect(await doctor.exited).toBe(0);
    expect(doctor.stdout()).toContain("ok       gpu: not used: the setting `gpu` is off");
  });

  it("exits with 1 where the settings ask for an interface that the machine does not have", async () => {
    const doctor = runProgram(["doctor"], commandEnvironment({ HEARTH_GPU: "metal" }).environment);
    expect(await doctor.exited).toBe(1);
    expect(doctor.stdout()).toMatch(/failed {3}gpu: the setting `gpu` is metal, but /);
  });
});
