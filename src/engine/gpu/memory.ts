/** The GPU that models would be loaded into, for commands that need no engine. */
import { existsSync } from "node:fs";

/** Which GPU the operator wants. */
export interface GpuSetting {
  readonly gpu: "auto" | "off" | "cuda" | "vulkan" | "metal";
}

export interface GpuMemory {
  /** `cuda`, `vulkan` or `metal`. */
  readonly device: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
}

export interface UsableGpu extends GpuMemory {
  /** Whether its memory is the memory of the machine. */
  readonly isUnified: boolean;
}

const nvidiaFiles = ["/dev/nvidiactl", "/proc/driver/nvidia/version"];
/** Files that exist where a GPU has a driver: NVIDIA's, AMD's, the kernel's, and the file of Windows' subsystem for Linux. */
const deviceFiles = [...nvidiaFiles, "/dev/kfd", "/dev/dri", "/dev/dxg"];

/** Returns which GPU the files of a Linux machine show; null on other systems, where they say nothing. */
export function seenGpu(): "nvidia" | "other" | "none" | null {
  if (process.platform !== "linux") return null;
  if (nvidiaFiles.some((file) => existsSync(file))) return "nvidia";
  return deviceFiles.some((file) => existsSync(file)) ? "other" : "none";
}

/** Returns the GPU that the engine would use, null if there is none. The library is loaded only where there may be one. */
export async function usableGpu({ gpu }: GpuSetting): Promise<UsableGpu | null> {
  if (gpu === "off" || seenGpu() === "none") return null;
  try {
    const { getLlama, LlamaLogLevel } = await import("node-llama-cpp");
    const options = { build: "never", skipDownload: true, progressLogs: false } as const;
    const llama = await getLlama({ ...options, gpu, logLevel: LlamaLogLevel.disabled });
    try {
      if (llama.gpu === false) return null;
      const { total, free, unifiedSize } = await llama.getVramState();
      return { device: llama.gpu, totalBytes: total, freeBytes: free, isUnified: unifiedSize > 0 };
    } finally {
      await llama.dispose();
    }
  } catch {
    return null;
  }
}

/** Returns the memory of the GPU that models would be loaded into; null if there is none, or if it is the memory of the machine. */
export async function gpuMemory(config: GpuSetting): Promise<GpuMemory | null> {
  const found = await usableGpu(config);
  if (found === null || found.isUnified) return null;
  const { device, totalBytes, freeBytes } = found;
  return { device, totalBytes, freeBytes };
}
