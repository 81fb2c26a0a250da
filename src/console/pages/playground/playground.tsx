/** Playground: tries the models as a program would use them. */
import type { JSX } from "preact";
import { pageHref, useLocation } from "../../lib/location.js";
import { useSignedIn } from "../../session.js";
import { PageHead } from "../../parts/page.js";
import { Chat } from "./chat/chat.js";
import { openFor } from "./conversation.js";
import { ImageStudio } from "./images/image-studio.js";
import { openPicturesFor } from "./images/pictures.js";

/** The page. */
export function PlaygroundPage(): JSX.Element {
  const { session } = useSignedIn();
  const { query } = useLocation();
  const isImages = query.get("mode") === "images";
  openFor(session.member.memberId);
  openPicturesFor(session.member.memberId);
  const link = (title: string, mode: string, isCurrent: boolean): JSX.Element => (
    <a class="button" href={pageHref("playground", { mode })} aria-current={isCurrent ? "page" : undefined}>
      {title}
    </a>
  );
  return (
    <>
      <PageHead title="Playground">
        <nav class="modes" aria-label="Modes">
          {link("Chat", "", !isImages)}
          {link("Images", "images", isImages)}
        </nav>
      </PageHead>
      {isImages ? <ImageStudio /> : <Chat />}
    </>
  );
}
