/** The pages of the console, in the order of the navigation. The code of a page is loaded when it is first opened. */
import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.js";
import type { MemberRole } from "../accounts/principals/member.js";

export interface PageEntry {
  /** What follows `/console/`. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** The second letter of the keys that open it: `g` and this letter. */
  readonly letter: string;
  /** The lowest role that it is of use to; absent: every member. */
  readonly role?: MemberRole;
  /** Whether it is of use to owners of the whole server only. */
  readonly isForOperator?: true;
  readonly load: () => Promise<ComponentType>;
}

export const pages: readonly PageEntry[] = [
  {
    name: "overview",
    title: "Overview",
    icon: "overview",
    letter: "o",
    load: async () => (await import("./pages/overview.js")).OverviewPage,
  },
  {
    name: "playground",
    title: "Playground",
    icon: "chat",
    letter: "p",
    load: async () => (await import("./pages/playground/playground.js")).PlaygroundPage,
  },
  {
    name: "keys",
    title: "API keys",
    icon: "key",
    letter: "k",
    load: async () => (await import("./pages/keys/keys.js")).KeysPage,
  },
  {
    name: "requests",
    title: "Requests",
    icon: "requests",
    letter: "r",
    load: async () => (await import("./pages/requests/requests.js")).RequestsPage,
  },
  {
    name: "stored",
    title: "Stored",
    icon: "jobs",
    letter: "s",
    load: async () => (await import("./pages/stored/stored.js")).StoredObjectsPage,
  },
  {
    name: "usage",
    title: "Usage",
    icon: "usage",
    letter: "u",
    load: async () => (await import("./pages/usage/usage.js")).UsagePage,
  },
  {
    name: "billing",
    title: "Billing",
    icon: "money",
    letter: "b",
    load: async () => (await import("./pages/billing/billing.js")).BillingPage,
  },
  {
    name: "alerts",
    title: "Alerts",
    icon: "bell",
    letter: "l",
    role: "owner",
    load: async () => (await import("./pages/alerts.js")).AlertsPage,
  },
  {
    name: "models",
    title: "Models",
    icon: "models",
    letter: "m",
    load: async () => (await import("./pages/models/models.js")).ModelsPage,
  },
  {
    name: "audit",
    title: "Audit",
    icon: "audit",
    letter: "a",
    load: async () => (await import("./pages/audit.js")).AuditLogPage,
  },
  {
    name: "members",
    title: "Members",
    icon: "people",
    letter: "e",
    load: async () => (await import("./pages/members/members.js")).MembersPage,
  },
  {
    name: "groups",
    title: "Access groups",
    icon: "groups",
    letter: "g",
    role: "admin",
    load: async () => (await import("./pages/groups.js")).GroupsPage,
  },
  {
    name: "settings",
    title: "Settings",
    icon: "settings",
    letter: "t",
    role: "owner",
    isForOperator: true,
    load: async () => (await import("./pages/settings.js")).SettingsPage,
  },
];
