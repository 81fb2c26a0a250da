/** A named list of ACLs. A key or a team that has the ACL `api-key:group:<name>` has those of the group. */
export interface AccessGroup {
  /** 1 to 64 letters, digits, dots, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  /** ACLs of endpoints and models; groups contain no groups. */
  readonly acls: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly modifyTime: number;
}

/** How many API keys and teams have a group. */
export interface GroupUse {
  readonly keys: number;
  readonly teams: number;
}
