import { readFile, rename, stat, writeFile } from "node:fs/promises";

const passedMax = 1000;
const passedFileBytesMax = 1_000_000;

/** Digests of the models that passed, newest last, in memory and in a file. A file that cannot be read counts as empty. */
export class PassedDigests {
  private digests: Promise<Set<string>> | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  async has(digest: string): Promise<boolean> {
    this.digests ??= this.read();
    return (await this.digests).has(digest);
  }

  async add(digest: string): Promise<void> {
    const digests = await (this.digests ??= this.read());
    digests.add(digest);
    for (const oldest of digests) {
      if (digests.size <= passedMax) break;
      digests.delete(oldest);
    }
    const write = (): Promise<void> => this.write([...digests]);
    this.writing = this.writing.then(write, write);
    await this.writing;
  }

  private async read(): Promise<Set<string>> {
    try {
      if ((await stat(this.file)).size > passedFileBytesMax) return new Set();
      const content: unknown = JSON.parse(await readFile(this.file, "utf8"));
      return new Set(Array.isArray(content) ? content.filter((entry) => typeof entry === "string") : []);
    } catch {
      return new Set();
    }
  }

  private async write(digests: readonly string[]): Promise<void> {
    const next = `${this.file}.next`;
    await writeFile(next, `${JSON.stringify(digests, null, 1)}\n`, { mode: 0o600 });
    await rename(next, this.file);
  }
}
