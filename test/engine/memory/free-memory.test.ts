import { describe, expect, it } from "vitest";
import { measureMs } from "../../../src/engine/memory/model-memory.js";
import { openModelRoom, reservedBytes } from "../../../src/models/fit/free-memory.js";
import { machine, named, settle } from "./models-in-memory.js";

describe("F27: models take no more than the memory that is free", () => {
  it("a load unloads idle models until it fits, though the limit of all models would leave more", async () => {
    let free = 20;
    const { models, told } = machine({ memoryBytesMax: 1000, roomBytes: (planned) => free - planned });
    (await models.lease(named("a"))).release();
    (await models.lease(named("b"))).release();
    free = 15;
    (await models.lease(named("c"))).release();
    expect(told.filter((line) => line.includes("load"))).toEqual([
      "load a",
      "load b",
      "unload a",
      "unload b",
      "load c",
    ]);
  });

  it("a load that would not fit if all others left is refused with what it needs and what is free", async () => {
    const { models } = machine({
      estimate: () => 4_000_000_000,
      memoryBytesMax: 20_000_000_000,
      roomBytes: (planned) => 3_000_000_000 - planned,
    });
    await expect(models.lease(named("a"))).rejects.toMatchObject({
      kind: "model_unavailable",
      message:
        "The model 'a' needs about 4.0 GB of memory, and models can have 3.0 GB now, because other programs use the rest.",
    });
  });

  it("a load waits while models in use have the memory, and goes on when one is released", async () => {
    const { models, told } = machine({ memoryBytesMax: 1000, roomBytes: (planned) => 15 - planned });
    const a = await models.lease(named("a"));
    const waiting = models.lease(named("b"));
    await settle();
    expect(told).toEqual(["load a"]);
    a.release();
    await waiting;
    expect(told).toEqual(["load a", "unload a", "load b"]);
  });

  it("a load that waits goes on when other programs leave memory", async () => {
    let free = 15;
    const { models, told, clock } = machine({ memoryBytesMax: 1000, roomBytes: (planned) => free - planned });
    await models.lease(named("a"));
    const waiting = models.lease(named("b"));
    await settle();
    expect(told).toEqual(["load a"]);
    free = 20;
    clock.advance(measureMs);
    await waiting;
    expect(told).toEqual(["load a", "load b"]);
  });

  it("when other programs take memory, idle models are unloaded within seconds, and the log says so once", async () => {
    let free = 100;
    const { models, told, clock } = machine({
      memoryBytesMax: 1000,
      keepAliveMs: 3_600_000,
      roomBytes: (planned) => free - planned,
    });
    const used = await models.lease(named("used"));
    for (const id of ["a", "b", "c"]) (await models.lease(named(id))).release();
    free = 25;
    for (let measured = 0; measured < 3; measured += 1) {
      clock.advance(measureMs);
      await settle();
    }
    expect(told.slice(4)).toEqual([
      "free memory is short of 15 B: unloads 2 idle models",
      "unload a",
      "unload b",
    ]);
    free = 5;
    clock.advance(measureMs);
    await settle();
    expect(told.slice(7)).toEqual(["free memory is short of 15 B: unloads 1 idle models", "unload c"]);
    expect(models.list().map(({ id }) => id)).toEqual(["used"]);
    used.release();
    clock.advance(measureMs);
    await settle();
    expect(models.list()).toEqual([]);
  });
});

describe("F27: what is free", () => {
  const kilobyte = 1024;
  const reserve = reservedBytes / kilobyte;
  /** Files of the kernel, with 4 GB available to a process whose memory grew by 1 GB, of which 400 MB are mapped weights. */
  const files = (changes: Readonly<Record<string, string>> = {}) => {
    const all: Record<string, string> = {
      "/proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable:   4000000 kB\n",
      "/proc/self/status": "VmRSS:\t 100000 kB\nRssFile:\t 0 kB\n",
      "/proc/self/cgroup": "0::/\n",
    };
    Object.assign(all, changes);
    return { all, read: (path: string): string | null => all[path] ?? null };
  };
  const grow = (all: Record<string, string>) =>
    (all["/proc/self/status"] = "VmRSS:\t 1100000 kB\nRssFile:\t 400000 kB\n");
  const room = (
    changes: Readonly<Record<string, string>>,
    limitKilobytes: number,
    plannedKilobytes: number,
  ) => {
    const { all, read } = files(changes);
    const measure = openModelRoom({ read, limitBytes: limitKilobytes * kilobyte });
    grow(all);
    return (measure?.(plannedKilobytes * kilobyte) ?? Number.NaN) / kilobyte + reserve;
  };

  it("is what the system can give, without weights that are mapped", () => {
    expect(room({}, 0, 1_000_000)).toBe(3_600_000);
  });

  it("is less by what the models in memory have not touched of their estimates", () => {
    expect(room({}, 0, 1_500_000)).toBe(3_100_000);
  });

  it("counts what the models took beyond their estimates", () => {
    expect(room({}, 0, 10)).toBe(3_600_000);
  });

  it.each([
    [
      "cgroup v2",
      {
        "/sys/fs/cgroup/memory.current": String(3_000_000 * kilobyte),
        "/sys/fs/cgroup/memory.stat": `anon 1\ninactive_file ${1_000_000 * kilobyte}\n`,
      },
    ],
    [
      "cgroup v2, of a service",
      {
        "/proc/self/cgroup": "0::/system.slice/hearth.service\n",
        "/sys/fs/cgroup/system.slice/hearth.service/memory.current": String(2_000_000 * kilobyte),
        "/sys/fs/cgroup/memory.current": String(7_000_000 * kilobyte),
      },
    ],
    [
      "cgroup v1",
      {
        "/proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/docker/x\n",
        "/sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes": String(2_500_000 * kilobyte),
        "/sys/fs/cgroup/memory/docker/x/memory.stat": `total_inactive_file ${500_000 * kilobyte}\n`,
      },
    ],
    [
      "cgroup v1, in a container",
      {
        "/proc/self/cgroup": "4:memory:/docker/x\n",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes": String(2_000_000 * kilobyte),
      },
    ],
  ])("is no more than the limit of the container leaves: %s", (_, changes) => {
    expect(room(changes, 5_000_000, 1_000_000)).toBe(3_000_000);
    expect(room(changes, 50_000_000, 1_000_000)).toBe(3_600_000);
  });

  it("is not known on systems that do not say it", () => {
    expect(openModelRoom({ read: () => null, limitBytes: 0 })).toBeNull();
  });
});
