/** What an MCP server does wrong, as the end of a sentence whose subject it is. */
export class McpRefusal extends Error {}
