/** Whether a GPU is used, and what is missing where one could be. */
import { sizeText } from "../../core/report/size-text.js";
import { findInstallation, npmInstallCommand, type InstalledProgram } from "../../system/installation.js";
import { engineVersion } from "../../system/version.js";
import { seenGpu, usableGpu, type UsableGpu, type GpuSetting } from "./memory.js";

export interface GpuReport {
  /** False if the setting `gpu` asks for what does not work: chat models are then unusable. */
  readonly ok: boolean;
  readonly detail: string;
}

/** What can be known of the GPU without a model. */
export interface GpuFacts {
  readonly setting: GpuSetting["gpu"];
  readonly seen: "nvidia" | "other" | "none" | null;
  readonly used: UsableGpu | null;
  /** `linux-x64` */
  readonly platform: string;
  /** Names of the installed packages with GPU binaries, such as `linux-x64-vulkan`. */
  readonly binaries: readonly string[];
  readonly installed: InstalledProgram;
}

const namesOfBinaries = ["linux-x64-vulkan", "linux-x64-cuda", "win-x64-vulkan", "win-x64-cuda"];

export async function gpuReport(config: GpuSetting): Promise<GpuReport> {
  return describeGpu({
    setting: config.gpu,
    seen: seenGpu(),
    used: await usableGpu(config),
    platform: `${process.platform}-${process.arch}`.replace("win32", "win"),
    binaries: namesOfBinaries.filter(isInstalled),
    installed: findInstallation(),
  });
}

export function describeGpu(facts: GpuFacts): GpuReport {
  const { setting, seen, used } = facts;
  if (setting === "off") return { ok: true, detail: "not used: the setting `gpu` is off" };
  if (used !== null) {
    const memory = sizeText(used.totalBytes);
    const isFaster = seen === "nvidia" && used.device !== "cuda";
    return { ok: true, detail: `${used.device}, ${memory}${isFaster ? `; ${cudaHint(facts)}` : ""}` };
  }
  const reason = reasonForNone(facts);
  return setting === "auto"
    ? { ok: true, detail: `not used, models run on the CPU: ${reason}` }
    : { ok: false, detail: `the setting \`gpu\` is ${setting}, but ${reason}` };
}

function reasonForNone(facts: GpuFacts): string {
  if (facts.seen === "none") return "no GPU was found";
  if (facts.seen === "nvidia") return `the NVIDIA GPU cannot be used; ${cudaHint(facts)}`;
  const vulkan = `${facts.platform}-vulkan`;
  if (namesOfBinaries.includes(vulkan) && !facts.binaries.includes(vulkan))
    return "the Vulkan binaries were removed, perhaps by `npm run slim`; `npm ci` installs them";
  return "llama.cpp cannot use a GPU here; Vulkan needs its driver and its loader (libvulkan1)";
}

/** Says what CUDA needs. The install guide has the same command. */
function cudaHint({ platform, binaries, installed }: GpuFacts): string {
  const name = `${platform}-cuda`;
  if (!namesOfBinaries.includes(name)) return `there are no CUDA binaries for ${platform}`;
  if (binaries.includes(name)) return "CUDA needs CUDA 12 or 13 (libcudart, libcublas) and its driver";
  const packages = [name, `${name}-ext`].map((one) => `@node-llama-cpp/${one}@${engineVersion}`);
  return `CUDA binaries are not installed: ${npmInstallCommand(packages, installed)}`;
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(`@node-llama-cpp/${name}`);
    return true;
  } catch {
    return false;
  }
}
