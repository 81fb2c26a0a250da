/**
 * Images that are fetched by URL: a row for each, and beside the database a file. The row is written with the end of the run
 * that drew it, the file before: whatever ends the process between the two leaves a file that is nobody's, which the next sweep
 * deletes. The quota counts what is on the disk and what runs in hand may still write.
 */
import { readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImageFormat } from "../../core/image-generation.js";
import { HearthError } from "../../core/errors.js";
import type { ImageRoom, ImageStore } from "./stored-image.js";
import type { Random } from "../../core/random.js";
import type { Database } from "../../store/database.js";
import { makeFolder } from "../../store/folder.js";
import { prepare, prepareBinding } from "../../store/prepared.js";
import type { KeptImageRow } from "../../store/schema.js";
import { writeOf } from "../../store/writes.js";

export interface ImageStoreOptions {
  /** Made when the first image is. */
  readonly folder: string;
  /** That all images together may take. */
  readonly bytesMax: number;
  readonly random: Pick<Random, "bytes">;
}

const nameBytes = 24;
const namePattern = /^[A-Za-z0-9_-]{32}\.(png|jpeg|webp)$/;
const columns = ["name", "run_id", "bytes", "expire_time"] as const;
const retryAfterSeconds = 60;

/** The table of kept images, and their folder. */
export function createImageStore(database: Database, options: ImageStoreOptions): ImageStore {
  return new FolderOfImages(database, options);
}

class FolderOfImages implements ImageStore {
  readonly #database: Database;
  readonly #options: ImageStoreOptions;
  readonly #insertRow: ReturnType<typeof prepareInsertion>;
  readonly #findRow: ReturnType<typeof prepareFind>;
  /** Files that a run in hand has written. */
  readonly #unsettled = new Set<string>();
  /** That runs in hand may write. */
  #reservedBytes = 0;

  constructor(database: Database, options: ImageStoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#insertRow = prepareInsertion(database);
    this.#findRow = prepareFind(database);
  }

  async room(runId: string, bytesMax: number): Promise<ImageRoom> {
    if (bytesMax > this.#options.bytesMax) throw neverRoom();
    // Held at once: those that come together would all find the same room free.
    this.#reservedBytes += bytesMax;
    const reserved = this.#reservedBytes;
    try {
      if ((await this.#keptBytes()) + reserved > this.#options.bytesMax) throw noRoom();
    } catch (thrown) {
      this.#reservedBytes -= bytesMax;
      throw thrown;
    }
    return this.#open(runId, bytesMax);
  }

  async find(name: string, now: number) {
    const format = formatOf(name);
    const row = format === null ? undefined : (await this.#findRow({ name, now })).rows[0];
    if (format === null || row === undefined) return null;
    const bytes = await readFile(this.#pathOf(name)).catch(() => null);
    // A power cut may take back what was in a file.
    if (bytes?.length !== row.bytes) return null;
    return { bytes, format, expireTime: row.expire_time };
  }

  async deleteExpired(now: number, limit: number): Promise<number> {
    const { kysely } = this.#database;
    const expired = await kysely
      .selectFrom("kept_images")
      .select("name")
      .where("expire_time", "<=", now)
      .orderBy("expire_time")
      .limit(limit)
      .execute();
    const names = expired.map(({ name }) => name);
    for (const name of names) await this.#delete(name);
    if (names.length > 0) await kysely.deleteFrom("kept_images").where("name", "in", names).execute();
    if (names.length < limit) await this.#deleteOrphans();
    return names.length;
  }

  #open(runId: string, bytesMax: number): ImageRoom {
    const added: { readonly name: string; readonly bytes: number }[] = [];
    let isOpen = true;
    return {
      add: async (bytes, format) => {
        const name = await this.#write(bytes, format);
        added.push({ name, bytes: bytes.length });
        return name;
      },
      insertions: (expireTime) =>
        added.map((each) =>
          writeOf("kept_images", this.#insertRow({ ...each, run_id: runId, expire_time: expireTime })),
        ),
      close: async (isKept) => {
        if (!isOpen) return;
        isOpen = false;
        this.#reservedBytes -= bytesMax;
        for (const { name } of added) {
          if (!isKept) await this.#delete(name);
          this.#unsettled.delete(name);
        }
      },
    };
  }

  async #write(bytes: Uint8Array, format: ImageFormat): Promise<string> {
    const { folder, random } = this.#options;
    const name = `${Buffer.from(random.bytes(nameBytes)).toString("base64url")}.${format}`;
    makeFolder(folder);
    this.#unsettled.add(name);
    await writeFile(this.#pathOf(name), bytes, { flag: "wx", mode: 0o600 });
    return name;
  }

  async #deleteOrphans(): Promise<void> {
    const names = await readdir(this.#options.folder).catch(() => []);
    // A run that settles meanwhile has its rows before its names leave this set.
    const unsettled = new Set(this.#unsettled);
    for (const name of names)
      if (!unsettled.has(name) && (await this.#findRow({ name, now: 0 })).rows.length === 0)
        await this.#delete(name);
  }

  async #delete(name: string): Promise<void> {
    await unlink(this.#pathOf(name)).catch((thrown: unknown) => {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) throw thrown;
    });
  }

  async #keptBytes(): Promise<number> {
    const { kysely } = this.#database;
    const sum = kysely.selectFrom("kept_images").select((row) => row.fn.sum<number>("bytes").as("bytes"));
    return (await sum.executeTakeFirst())?.bytes ?? 0;
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name);
  }
}

function formatOf(name: string): ImageFormat | null {
  return (namePattern.exec(name)?.[1] ?? null) as ImageFormat | null;
}

function prepareInsertion({ kysely }: Database) {
  return prepareBinding(columns, (row: KeptImageRow) => kysely.insertInto("kept_images").values(row));
}

interface Finding {
  readonly name: string;
  readonly now: number;
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["name", "now"], ({ name, now }: Finding) =>
    kysely
      .selectFrom("kept_images")
      .select(["bytes", "expire_time"])
      .where("name", "=", name)
      .where("expire_time", ">", now),
  );
}

function noRoom(): HearthError {
  return new HearthError(
    "overloaded",
    "There is no room to keep more images just now. Ask for b64_json, or try again later.",
    { retryAfterSeconds },
  );
}

function neverRoom(): HearthError {
  return new HearthError(
    "invalid_value",
    "response_format: must be b64_json: this server has no room to keep that many images",
    { param: "response_format" },
  );
}
