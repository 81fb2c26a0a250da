/** The type of the table of approvals that were used, for kysely. */
export interface McpApprovalRow {
  team_id: string;
  /** Of the approval request, as the client knows it. */
  id: string;
  expire_time: number;
}
