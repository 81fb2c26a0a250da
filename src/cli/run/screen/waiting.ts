/** Shows on a terminal that a command waits. */
import type { Clock } from "../../../core/clock.js";
import type { TextOut } from "../../terminal.js";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const frameMs = 100;

/** Shows a moving sign until the returned function is called, which removes it; nothing where the output is no terminal. */
export function showWaiting(out: TextOut, clock: Clock): () => void {
  if (out.isTTY !== true) return () => undefined;
  let cancel = (): void => undefined;
  let frame = 0;
  const draw = (): void => {
    out.control?.(`\r${frames[frame % frames.length] ?? ""} `);
    frame += 1;
    cancel = clock.after(frameMs, draw);
  };
  cancel = clock.after(frameMs, draw);
  return () => {
    cancel();
    if (frame > 0) out.control?.("\r\u001b[K");
    frame = 0;
  };
}
