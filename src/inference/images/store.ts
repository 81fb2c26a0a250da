/**
 * Images that are fetched by URL: a row in the database and a file for each. The file is written first, the row together with the end
 * of its run: a process that dies between the two leaves a file without a row, which the next sweep deletes. The quota counts what is
 * on the disk and what active runs may still write.
 */
import { readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImageFormat } from "../../core/images/image-generation.js";
import { HearthError } from "../../core/errors.js";
import type { StorageReservation, StoredImage } from "./stored-image.js";
import type { Random } from "../../core/random.js";
import type { Database } from "../../store/database.js";
import { createFolder, namesBefore } from "../../system/folder.js";
import { leftoversBefore } from "../../store/nodes.js";
import { prepare, prepareInsert } from "../../store/prepared.js";
import { createWrite } from "../../store/writes.js";

interface ImageStoreOptions {
  /** Created with the first image. */
  readonly folder: string;
  /** Limit on all images together. */
  readonly bytesMax: number;
  readonly random: Random;
}

const nameBytes = 24;
/** Names of stored images: no other file of the folder is one. */
export const imageNamePattern = /^[A-Za-z0-9_-]{32}\.(png|jpeg|webp)$/;
const retryAfterSeconds = 60;

/** The methods of the store of images. */
export type ImageStore = FolderImageStore;

/** Opens the table of stored images and their folder. */
export function createImageStore(database: Database, options: ImageStoreOptions): ImageStore {
  return new FolderImageStore(database, options);
}

class FolderImageStore {
  readonly #database: Database;
  readonly #options: ImageStoreOptions;
  readonly #insertRow: ReturnType<typeof prepareInsert<"keptImages">>;
  readonly #findRow: ReturnType<typeof prepareFind>;
  /** Files that active runs have written. */
  readonly #unsettled = new Set<string>();
  /** Bytes that active runs may write. */
  #reservedBytes = 0;

  constructor(database: Database, options: ImageStoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#insertRow = prepareInsert(database.kysely, "keptImages");
    this.#findRow = prepareFind(database);
  }

  /**
   * Reserves space for the images of a run.
   * @param bytesMax of all of them together.
   * @throws HearthError `overloaded` while there is not enough space, `invalid_value` when there never is.
   */
  async reserve(runId: string, bytesMax: number): Promise<StorageReservation> {
    if (bytesMax > this.#options.bytesMax) throw exceedsQuota();
    // Reserved before the query: concurrent calls would otherwise all find the same space free.
    this.#reservedBytes += bytesMax;
    const reserved = this.#reservedBytes;
    try {
      if ((await this.#storedBytes()) + reserved > this.#options.bytesMax) throw quotaReached();
    } catch (thrown) {
      this.#reservedBytes -= bytesMax;
      throw thrown;
    }
    return this.#open(runId, bytesMax);
  }

  /** Returns the image; null when there is none of that name, or it has expired. */
  async find(name: string, now: number): Promise<StoredImage | null> {
    const format = readFormat(name);
    const row = format === null ? undefined : (await this.#findRow({ name, now })).rows[0];
    if (format === null || row === undefined) return null;
    const bytes = await readFile(this.#toPath(name)).catch(() => null);
    // A power cut may have undone the file's content.
    if (bytes?.length !== row.bytes) return null;
    return { bytes, format, expireTime: row.expireTime };
  }

  /**
   * Deletes up to `limit` images that expired before `now`, and files without a row. @returns how many had expired; fewer than
   * `limit` when there are no more.
   */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const { kysely } = this.#database;
    const expired = await kysely
      .selectFrom("keptImages")
      .select("name")
      .where("expireTime", "<=", now)
      .orderBy("expireTime")
      .limit(limit)
      .execute();
    const names = expired.map(({ name }) => name);
    for (const name of names) await this.#delete(name);
    if (names.length > 0) await kysely.deleteFrom("keptImages").where("name", "in", names).execute();
    if (names.length < limit) await this.#deleteOrphans(leftoversBefore(this.#database.nodes, now));
    return names.length;
  }

  #open(runId: string, bytesMax: number): StorageReservation {
    const added: { readonly name: string; readonly bytes: number }[] = [];
    let isOpen = true;
    return {
      add: async (bytes, format) => {
        const name = await this.#write(bytes, format);
        added.push({ name, bytes: bytes.length });
        return name;
      },
      insertions: (expireTime) =>
        added.map((each) => createWrite("keptImages", this.#insertRow({ ...each, runId, expireTime }))),
      close: async (isStored) => {
        if (!isOpen) return;
        isOpen = false;
        this.#reservedBytes -= bytesMax;
        for (const { name } of added) {
          if (!isStored) await this.#delete(name);
          this.#unsettled.delete(name);
        }
      },
    };
  }

  async #write(bytes: Uint8Array, format: ImageFormat): Promise<string> {
    const { folder, random } = this.#options;
    const name = `${Buffer.from(random.bytes(nameBytes)).toString("base64url")}.${format}`;
    this.#unsettled.add(name);
    try {
      createFolder(folder);
      await writeFile(this.#toPath(name), bytes, { flag: "wx", mode: 0o600 });
      return name;
    } catch (thrown) {
      // A full disk leaves a part of the file. The next sweep finds it, too.
      await this.#delete(name).catch(() => undefined);
      this.#unsettled.delete(name);
      throw cannotStore(thrown);
    }
  }

  async #deleteOrphans(before: number): Promise<void> {
    const names = await namesBefore(this.#options.folder, before).catch(() => []);
    // A run that is settled during this loop has its rows before its names leave the set.
    const unsettled = new Set(this.#unsettled);
    for (const name of names)
      if (!unsettled.has(name) && (await this.#findRow({ name, now: 0 })).rows.length === 0)
        await this.#delete(name);
  }

  async #delete(name: string): Promise<void> {
    await unlink(this.#toPath(name)).catch((thrown: unknown) => {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) throw thrown;
    });
  }

  async #storedBytes(): Promise<number> {
    const { kysely } = this.#database;
    const sum = kysely.selectFrom("keptImages").select((row) => row.fn.sum<number>("bytes").as("bytes"));
    return (await sum.executeTakeFirst())?.bytes ?? 0;
  }

  #toPath(name: string): string {
    return join(this.#options.folder, name);
  }
}

function readFormat(name: string): ImageFormat | null {
  return (imageNamePattern.exec(name)?.[1] ?? null) as ImageFormat | null;
}

interface Finding {
  readonly name: string;
  readonly now: number;
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["name", "now"], ({ name, now }: Finding) =>
    kysely
      .selectFrom("keptImages")
      .select(["bytes", "expireTime"])
      .where("name", "=", name)
      .where("expireTime", ">", now),
  );
}

function quotaReached(): HearthError {
  return new HearthError(
    "overloaded",
    "There is currently no space to store more images. Request b64_json, or try again later.",
    { retryAfterSeconds },
  );
}

function cannotStore(cause: unknown): HearthError {
  return new HearthError(
    "overloaded",
    "The server currently cannot store images. Request b64_json, or try again later.",
    { retryAfterSeconds, cause },
  );
}

function exceedsQuota(): HearthError {
  return new HearthError(
    "invalid_value",
    "response_format: must be b64_json: this server has no space to store that many images",
    { param: "response_format" },
  );
}
