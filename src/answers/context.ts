/** What requests of text models are answered over. */
import type { RateLimits } from "../accounts/limits/rate-limits.js";
import type { Clock } from "../core/clock.js";
import type { McpConnector } from "../core/tools/mcp-servers.js";
import type { ModelRegistry } from "../core/model.js";
import type { Random } from "../core/random.js";
import type { StoredCompletions } from "../inference/completions/stored-completions.js";
import type { Conversations } from "../inference/conversations/conversations.js";
import type { ImageGenerator } from "../inference/images/generate-images.js";
import type { StoredResponses } from "../inference/responses/stored-responses.js";
import type { Generator } from "../inference/run/text/generator.js";
import type { PromptFiles } from "./prompt-files.js";
import type { McpApprovals } from "./mcp/approvals.js";

export interface AnswerContext {
  readonly models: ModelRegistry;
  readonly generator: Generator;
  readonly imageGenerator: ImageGenerator;
  readonly rateLimits: RateLimits;
  /** Puts files into the bodies of requests. */
  readonly promptFiles: PromptFiles;
  /** Connects to the MCP servers of requests. */
  readonly mcp: McpConnector;
  readonly mcpApprovals: McpApprovals;
  readonly storedCompletions: StoredCompletions;
  readonly storedResponses: StoredResponses;
  readonly conversations: Conversations;
  readonly clock: Clock;
  readonly random: Random;
}
