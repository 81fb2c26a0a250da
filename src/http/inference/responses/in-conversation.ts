import type { Conversations } from "../../../inference/conversations/conversations.js";

/**
 * Does the work of a response while its conversation is reserved, so that no other response is generated in it.
 * @param work calls its parameter with what it starts and does not wait for: the conversation is released when that has ended.
 * @throws HearthError `not_found` for the conversation, or `invalid_value` while another response is generated in it.
 */
export async function inConversation(
  conversations: Pick<Conversations, "lock">,
  id: string | null,
  teamId: string,
  work: (untilEnd: (finished: Promise<void>) => void) => Promise<void>,
): Promise<void> {
  const release = id === null ? (): void => undefined : await conversations.lock(id, teamId);
  let end: Promise<void> = Promise.resolve();
  try {
    await work((finished) => {
      end = finished;
    });
  } finally {
    void end.then(release);
  }
}
