import type { JSX } from "preact";
import { inviteMember, type Member } from "../../api/members.js";
import { useResource } from "../../lib/resource.js";
import { Copyable } from "../../parts/copyable.js";
import { Dialog } from "../../parts/dialog.js";
import { ErrorBox } from "../../parts/error-box.js";
import { Loading } from "../../parts/loading.js";

interface InviteDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Makes a sign-in link for a member and shows it, the only time that it can be seen. */
export function InviteDialog({ member, onClose }: InviteDialogProps): JSX.Element {
  const link = useResource(() => inviteMember(member.memberId), [member.memberId]);
  return (
    <Dialog title={`Invite ${member.email}`} onClose={onClose}>
      <div class="body">
        {link.error !== null && <ErrorBox error={link.error} />}
        {link.isLoading && <Loading />}
        {link.value !== null && (
          <>
            <p>
              Send this link to <strong>{member.email}</strong>. It works once, within 24 hours, and a newer
              one replaces it.
            </p>
            <Copyable text={link.value} label="Sign-in link" />
          </>
        )}
      </div>
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
