/** What every route of Ollama's interface has: errors in its format, and bodies as its clients send them. */
export const ollamaClients = { errors: "ollama", formsAreJson: true } as const;
