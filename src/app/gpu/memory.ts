/** The memory of the GPU, for commands that need no engine. */
import { existsSync } from "node:fs";
import type { Config } from "../config.js";

export interface GpuMemory {
  /** `cuda`, `vulkan` or `metal`. */
  readonly device: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Files that exist where a GPU has a driver: NVIDIA's, AMD's, the kernel's, and that of Windows' subsystem for Linux. */
const deviceFiles = ["/dev/nvidiactl", "/dev/kfd", "/dev/dri", "/dev/dxg"];

/**
 * Returns the memory of the GPU that models would be loaded into; null if there is none, or if it is the memory of the machine. The library
 * is loaded only where there may be one.
 */
export async function gpuMemory({ gpu }: Pick<Config, "gpu">): Promise<GpuMemory | null> {
  const mayHaveGpu = process.platform !== "linux" || deviceFiles.some((file) => existsSync(file));
  if (gpu === "off" || !mayHaveGpu) return null;
  try {
    const { getLlama, LlamaLogLevel } = await import("node-llama-cpp");
    const options = { build: "never", skipDownload: true, progressLogs: false } as const;
    const llama = await getLlama({ ...options, gpu, logLevel: LlamaLogLevel.disabled });
    try {
      if (llama.gpu === false) return null;
      const { total, free, unifiedSize } = await llama.getVramState();
      return unifiedSize > 0 ? null : { device: llama.gpu, totalBytes: total, freeBytes: free };
    } finally {
      await llama.dispose();
    }
  } catch {
    return null;
  }
}
