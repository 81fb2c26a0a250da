import type { TextOut } from "../../terminal.js";
import type { LineReader } from "../screen/line-reader.js";

/** What the commands of a chat write to, and change beside the chat. */
export interface ChatCommandIo {
  readonly out: TextOut;
  readonly reader: LineReader;
}
