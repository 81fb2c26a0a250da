/** The child process of a trial: what all entries have in common. */
import { writeFileSync } from "node:fs";

/**
 * Tries the model that the server sends. Exit code 0: it can be used; 1: it cannot, and standard output says why in one line. The
 * process exits at once when the server that started it exits.
 * @param explainMessage returns the reason of a failure, without paths.
 */
export function answerTrial<Task>(
  attempt: (task: Task) => Promise<void>,
  explainMessage: (message: string, task: Task) => string,
): void {
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.once("message", (task: Task) => {
    preferOomKill();
    attempt(task).then(
      () => process.exit(0),
      (thrown: unknown) => {
        const reason = explainMessage(readMessage(thrown), task).replace(/\s+/g, " ");
        process.stdout.write(`${reason}\n`, () => process.exit(1));
      },
    );
  });
}

/** Makes the kernel end this process, not the server, when memory runs out. */
function preferOomKill(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Exists on Linux only.
  }
}

function readMessage(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return cause instanceof Error ? cause.message : String(cause);
}
