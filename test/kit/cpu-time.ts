/**
 * Returns the CPU time that an action takes in this process, in ms, with all its threads. Unlike wall time, it does not grow while other
 * programs use the processors.
 */
export async function measureCpuMs(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
