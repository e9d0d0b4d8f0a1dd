// Segment cache, as a Historical has one: the rows of served segments as tables in DuckDB's own
// format, which are read several times faster than Parquet. Deep storage decides: a table is a
// copy, is made in the background, and is made again when it is missing or damaged.
import { randomUUID } from 'node:crypto';
import { rmSync, statfsSync, statSync } from 'node:fs';
import { isTombstone } from '../../model/segment.ts';
import { tableWriter } from '../engine/attached-tables.ts';
import type { Engine } from '../engine/engine.ts';
import { YieldsToTask } from '../engine/refusals.ts';
import type { TablePlace } from '../engine/segment-scan.ts';
import { logWarning } from '../process/log.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import { moveDurably } from '../storage/durable-files.ts';
import { HeldFiles } from '../storage/held-files.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import type { CacheLocation } from './locations.ts';
import { contentOf, readUnitFiles, type UnitFile, unitFilesOf, writeUnit } from './unit-files.ts';
import { columnStatistics, marksOf, unitColumns, unitQuery } from './unit-query.ts';
import { isMember, planUnits, type Unit, type UnitBuild } from './units.ts';

export interface SegmentCacheParts {
  readonly storage: Storage;
  readonly served: ServedSegments;
  readonly engine: Engine;
  readonly locations: readonly CacheLocation[];
}

export class SegmentCache {
  readonly #parts: SegmentCacheParts;
  readonly #units = new Map<string, UsedUnit>(); // by name
  readonly #places = new Map<string, Place>(); // by segment id
  readonly #usedMs = new Map<string, number>(); // when a datasource was last read
  readonly #planned = new Map<string, { readonly state: unknown; readonly atMs: number }>();
  readonly #failed = new Set<string>(); // ids of the first segments of units that cannot be written
  readonly #closing = new AbortController();
  readonly #held: HeldFiles;
  #revision = 0;
  #timer: NodeJS.Timeout | undefined;
  #idleMs = Date.now(); // when no query process was last at work
  #lookMs = 0; // how long the last look at all datasources took
  #working: Promise<void> | undefined;

  constructor(parts: SegmentCacheParts) {
    this.#parts = parts;
    this.#held = new HeldFiles((name) => this.#remove(name));
    parts.engine.tables.onDamage((names) => this.#discard(names));
  }

  /** Increases with every change of a place. */
  get revision(): number {
    return this.#revision;
  }

  /** The place of a segment's rows in a table; undefined when only its file has them. */
  readonly placeOf = (segment: SegmentRecord): TablePlace | undefined => {
    const nowMs = Date.now();
    this.#usedMs.set(segment.dataSource, nowMs);
    const place = this.#places.get(segment.id);
    if (!place || !isMember(place.member, segment)) return undefined;
    place.unit.usedMs = nowMs;
    return place;
  };

  /** The statistics of the table that has a segment's rows, among others. */
  readonly statisticsOf = (segment: SegmentRecord): Unit['statistics'] | undefined => {
    const place = this.#places.get(segment.id);
    return place && isMember(place.member, segment) ? place.unit.statistics : undefined;
  };

  /** Keeps all tables until the returned function is called. */
  hold(): () => void {
    return this.#held.hold();
  }

  /** Finds the tables of an earlier process, and begins to write missing ones. */
  start(): void {
    if (this.#parts.locations.length === 0) return;
    for (const file of this.#parts.locations.flatMap(readUnitFiles)) this.#add(file);
    this.#wakeIn(tickMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  #wakeIn(ms: number): void {
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.#wake(), ms).unref();
  }

  // Queries and tasks go first, for a while. Many datasources are looked at less often.
  #wake(): void {
    const nowMs = Date.now();
    const { engine } = this.#parts;
    if (!engine.isProcessing) this.#idleMs = nowMs;
    const isPatient = nowMs - this.#idleMs < mostWaitMs || engine.needsAllForTask;
    if (this.#idleMs !== nowMs && isPatient) {
      this.#wakeIn(tickMs);
      return;
    }
    this.#working = this.#work()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) logWarning(`Segment cache: ${reasonOf(error)}`);
      })
      .finally(() => this.#wakeIn(Math.max(tickMs, 100 * this.#lookMs)));
  }

  async #work(): Promise<void> {
    await this.#parts.engine.ready();
    const beganMs = performance.now();
    const changed = this.#dataSources().flatMap((dataSource) => {
      const state = this.#parts.served.timeline(dataSource);
      const planned = this.#planned.get(dataSource);
      const isCurrent = planned?.state === state && Date.now() - planned.atMs < replanMs;
      return isCurrent ? [] : { dataSource, state };
    });
    this.#lookMs = performance.now() - beganMs;
    for (const { dataSource, state } of changed) {
      const isComplete = await this.#fill(dataSource);
      if (this.#closing.signal.aborted) return;
      if (isComplete) this.#planned.set(dataSource, { state, atMs: Date.now() });
    }
  }

  // The most recently read datasource first.
  #dataSources(): string[] {
    const names = this.#parts.served.dataSources();
    const present = new Set(names);
    for (const unit of this.#units.values()) if (!present.has(unit.dataSource)) this.#drop(unit);
    const usedMs = (name: string) => this.#usedMs.get(name) ?? 0;
    return names.sort((one, other) => usedMs(other) - usedMs(one));
  }

  // Returns false when a change of the segments is worth another look.
  async #fill(dataSource: string): Promise<boolean> {
    const { storage, served } = this.#parts;
    const segments = served.of(dataSource).map(({ segment }) => segment);
    const units = [...this.#units.values()].filter((unit) => unit.dataSource === dataSource);
    const { drops, builds } = planUnits(
      segments.filter(({ shardSpec }) => !isTombstone(shardSpec)),
      units,
    );
    for (const unit of drops) this.#drop(unit);
    for (const build of builds) {
      const [first] = build.segments;
      if (!first || this.#failed.has(first.id)) continue;
      const location = this.#locationFor(build, dataSource);
      if (!location) return true;
      const letGo = storage.segments.hold();
      try {
        const isCurrent = new Set(storage.segments.listUsed(dataSource));
        if (!build.segments.every((segment) => isCurrent.has(segment))) return false;
        this.#add(await this.#write(dataSource, build.segments, location));
        for (const unit of build.replaces) this.#drop(unit);
        await this.#parts.engine.ready();
      } catch (error) {
        if (this.#closing.signal.aborted || error instanceof YieldsToTask) return false;
        this.#failed.add(first.id);
        logWarning(`Segment cache: segment [${first.id}] stays in Parquet: ${reasonOf(error)}`);
      } finally {
        letGo();
      }
    }
    return true;
  }

  async #write(
    dataSource: string,
    segments: readonly SegmentRecord[],
    location: CacheLocation,
  ): Promise<UnitFile> {
    const { engine } = this.#parts;
    const name = `unit_${randomUUID().replaceAll('-', '')}`;
    const unit = { name, dataSource, members: segments.map(memberOf) };
    const { table: file, building } = unitFilesOf(location.folder, name);
    const query = this.#queryOf(segments);
    try {
      const statistics = await engine.session(
        async (session) => {
          const { definitions, marked } = await unitColumns(session, query);
          const { statements, table, detach } = tableWriter(
            { name, file: building, content: contentOf(unit), query, computed: marksOf(marked) },
            definitions,
            segments.reduce((sum, { numRows }) => sum + numRows, 0),
          );
          try {
            for (const sql of statements) await session.run(sql);
            const found = await columnStatistics(session, table, marked);
            await session.run(detach);
            return found;
          } catch (error) {
            await session.run(`DETACH DATABASE IF EXISTS "${name}"`).catch(() => undefined);
            throw error;
          }
        },
        { lane: 'cache', signal: this.#closing.signal, memoryBytes: mostMemoryBytes },
      );
      writeUnit(location.folder, { ...unit, statistics });
      await moveDurably(building, file);
      return { ...unit, statistics, location, sizeBytes: statSync(file).size };
    } catch (error) {
      removeUnitFiles(location.folder, name);
      throw error;
    }
  }

  // The location with most room for a unit. Units that were read less recently than the datasource
  // make room.
  #locationFor({ segments, replaces }: UnitBuild, dataSource: string): CacheLocation | undefined {
    const bytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) * growth;
    const usedMs = this.#usedMs.get(dataSource) ?? 0;
    const roomIn = (location: CacheLocation) => {
      const used = [...this.#units.values()]
        .filter((unit) => unit.location === location)
        .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      return Math.min(location.maxBytes - used, freeBytes(location.folder) / 2);
    };
    const best = () =>
      this.#units.size - replaces.length >= mostUnits
        ? undefined
        : this.#parts.locations.find((location) => roomIn(location) >= bytes);
    const cold = [...this.#units.values()]
      .filter((unit) => unit.usedMs < usedMs && unit.dataSource !== dataSource)
      .sort((one, other) => one.usedMs - other.usedMs);
    for (;;) {
      const found = best();
      const unit = found ? undefined : cold.shift();
      if (!unit) return found;
      this.#drop(unit);
    }
  }

  #add(file: UnitFile): void {
    const unit: UsedUnit = { ...file, usedMs: 0 };
    this.#units.set(unit.name, unit);
    const { storage, engine } = this.#parts;
    const size = unit.members.length;
    const marked = markedIn(unit);
    const hasMarks = (column: string) => marked.includes(column);
    this.#revision++;
    for (const [number, member] of unit.members.entries())
      this.#places.set(member.id, { table: unit.name, number, size, hasMarks, member, unit });
    const known = new Map(
      storage.segments.listUsed(unit.dataSource).map((segment) => [segment.id, segment]),
    );
    const segments = unit.members.flatMap(({ id }) => known.get(id) ?? []);
    engine.tables.add({
      name: unit.name,
      file: unitFilesOf(unit.location.folder, unit.name).table,
      content: contentOf(unit),
      query: this.#queryOf(segments),
      computed: marksOf(marked),
    });
  }

  #queryOf(segments: readonly SegmentRecord[]): string {
    const store = this.#parts.storage.segments;
    return unitQuery(
      segments.map((segment) => ({ ...segment, file: store.fileOf(segment) ?? '' })),
    );
  }

  #drop(unit: Unit): void {
    if (!this.#units.delete(unit.name)) return;
    this.#revision++;
    for (const { id } of unit.members)
      if (this.#places.get(id)?.table === unit.name) this.#places.delete(id);
    this.#planned.delete(unit.dataSource);
    this.#held.remove(unit.name);
  }

  #discard(names: readonly string[]): void {
    for (const name of names) {
      const unit = this.#units.get(name);
      if (!unit) continue;
      logWarning(`Segment cache: file [${name}] is damaged or missing, and is written again`);
      this.#drop(unit);
    }
  }

  #remove(name: string): void {
    this.#parts.engine.tables.remove(name);
    for (const { folder } of this.#parts.locations) removeUnitFiles(folder, name);
  }
}

const markedIn = ({ statistics }: Unit) =>
  Object.keys(statistics).filter((name) => statistics[name]?.hasMarks);

type UsedUnit = UnitFile & { usedMs: number };

type Place = TablePlace & {
  readonly member: Unit['members'][number];
  readonly unit: UsedUnit;
};

const memberOf = ({ id, createdMs, sizeBytes, numRows }: SegmentRecord) => ({
  id,
  createdMs,
  sizeBytes,
  numRows,
});

function removeUnitFiles(folder: string, name: string): void {
  for (const file of Object.values(unitFilesOf(folder, name))) rmSync(file, { force: true });
}

// Half of the disk is left to segments.
function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const tickMs = 1000;
const replanMs = 60_000; // retention rules may change what is served
const growth = 2; // bytes of a table for a byte of Parquet
const mostUnits = 400; // each needs a millisecond in every process that begins
const mostMemoryBytes = 256 * 1024 ** 2;
const mostWaitMs = 60_000;
