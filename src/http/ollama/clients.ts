/** What every route of Ollama's interface has: errors in its format, bodies as its clients send them, and keys as the operator has set. */
export const ollamaClients = { errors: "ollama", formsAreJson: true, takesLocalKey: true } as const;
