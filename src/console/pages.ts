/** The pages of the console, in the order of the navigation. The code of a page is loaded when it is first opened. */
import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.js";
import type { Role } from "./session.js";

export interface PageEntry {
  /** What follows `/console/`. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** The second letter of the keys that open it: `g` and this letter. */
  readonly letter: string;
  /** The lowest role that it is of use to. */
  readonly role: Role;
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
    role: "member",
    load: async () => (await import("./pages/overview/overview.js")).OverviewPage,
  },
  {
    name: "playground",
    title: "Playground",
    icon: "chat",
    letter: "p",
    role: "member",
    load: async () => (await import("./pages/playground/playground.js")).PlaygroundPage,
  },
  {
    name: "keys",
    title: "API keys",
    icon: "key",
    letter: "k",
    role: "member",
    load: async () => (await import("./pages/keys/keys.js")).KeysPage,
  },
  {
    name: "requests",
    title: "Requests",
    icon: "requests",
    letter: "r",
    role: "member",
    load: async () => (await import("./pages/requests/requests.js")).RequestsPage,
  },
  {
    name: "stored",
    title: "Stored",
    icon: "jobs",
    letter: "s",
    role: "member",
    load: async () => (await import("./pages/stored/stored.js")).StoredPage,
  },
  {
    name: "usage",
    title: "Usage",
    icon: "usage",
    letter: "u",
    role: "member",
    load: async () => (await import("./pages/usage/usage.js")).UsagePage,
  },
  {
    name: "billing",
    title: "Billing",
    icon: "money",
    letter: "b",
    role: "member",
    load: async () => (await import("./pages/billing/billing.js")).BillingPage,
  },
  {
    name: "alerts",
    title: "Alerts",
    icon: "bell",
    letter: "l",
    role: "owner",
    load: async () => (await import("./pages/alerts/alerts.js")).AlertsPage,
  },
  {
    name: "models",
    title: "Models",
    icon: "models",
    letter: "m",
    role: "member",
    load: async () => (await import("./pages/models/models.js")).ModelsPage,
  },
  {
    name: "audit",
    title: "Audit",
    icon: "audit",
    letter: "a",
    role: "member",
    load: async () => (await import("./pages/audit/audit.js")).AuditPage,
  },
  {
    name: "members",
    title: "Members",
    icon: "people",
    letter: "e",
    role: "member",
    load: async () => (await import("./pages/members/members.js")).MembersPage,
  },
  {
    name: "groups",
    title: "Access groups",
    icon: "groups",
    letter: "g",
    role: "admin",
    load: async () => (await import("./pages/groups/groups.js")).GroupsPage,
  },
  {
    name: "settings",
    title: "Settings",
    icon: "settings",
    letter: "t",
    role: "owner",
    isForOperator: true,
    load: async () => (await import("./pages/settings/settings.js")).SettingsPage,
  },
];
