import { serverAddress } from "../../lib/base-path.js";
import type { JSX } from "preact";
import type { WireSignInLink } from "../../../http/management/members/sign-in-links.js";
import type { WireMember } from "../../../http/server/present-member.js";
import { send } from "../../lib/client.js";
import { useResource } from "../../lib/resource.js";
import { Notice } from "../../parts/dialog.js";
import { ErrorBox, Loading } from "../../parts/page.js";
import { Copyable } from "../../parts/text.js";

/** Makes a sign-in link for a member and shows it, the only time that it can be seen. */
export function InviteDialog({ member }: { readonly member: WireMember }): JSX.Element {
  const { memberId, email } = member;
  const link = useResource(
    () => send<WireSignInLink>("POST", `/auth/members/${memberId}/sign-in-links`),
    [memberId],
  );
  return (
    <Notice title={`Invite ${email}`}>
      {link.error !== null && <ErrorBox error={link.error} />}
      {link.isLoading && <Loading />}
      {link.value !== null && (
        <>
          <p>
            Send this link to <strong>{email}</strong>. It works once, within 24 hours, and a newer one
            replaces it.
          </p>
          <Copyable text={`${serverAddress}/console#link=${link.value.link}`} label="Sign-in link" />
        </>
      )}
    </Notice>
  );
}
