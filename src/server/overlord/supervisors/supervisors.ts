// All supervisors of the service: stored with their history, and running while the service runs
// (Druid: SupervisorManager).

import { isDeepStrictEqual } from 'node:util';
import { formatInstant } from '../../../model/instant.ts';
import { formatJson } from '../../../model/json.ts';
import { isObject } from '../../checks/spec-fields.ts';
import type { AutocompactSpec } from '../../configuration/autocompact-spec.ts';
import type { Clock } from '../../process/clock.ts';
import { logError, logEvent } from '../../process/log.ts';
import { type AuditInfo, addAuditEntry } from '../../storage/audit.ts';
import {
  allSupervisorHistory,
  listSupervisors,
  type StoredSupervisorSpec,
  type StoredSupervisorVersion,
  setSupervisor,
  supervisorHistory,
  terminateSupervisor,
} from '../../storage/supervisors.ts';
import { checkLockType } from '../../tasks/lock-types.ts';
import { randomLetters } from '../../tasks/task-ids.ts';
import { commitOffsets, forgetOffsets, offsetMap } from '../stream/committed-offsets.ts';
import { checkConsumerProperties } from '../stream/consumer-properties.ts';
import type { Offsets } from '../stream/stream.ts';
import { keepSecrets } from './kept-secrets.ts';
import {
  alreadyRunning,
  alreadySuspended,
  backfillNeeds,
  noSupervisorHistory,
  notResettable,
  unknownSupervisor,
} from './refusals.ts';
import type { ScheduledBatchSpec } from './scheduled-batch-spec.ts';
import {
  dataSourcesOfSupervisor,
  type NoopSpec,
  type ParsedSpec,
  parseStoredSpec,
  parseSupervisorSpec,
  readStoredSpec,
  type StreamSupervisorSpec,
  taskCountIn,
  tombstoneFor,
  type UnreadableSpec,
} from './spec.ts';
import { RunningSupervisor, type SupervisorParts } from './supervisor.ts';

/** A listed supervisor; one without `running` has no work. */
export type KnownSupervisor =
  | { readonly spec: StreamSupervisorSpec; readonly running: RunningSupervisor }
  | {
      readonly spec: AutocompactSpec | ScheduledBatchSpec | NoopSpec | UnreadableSpec;
      readonly running: undefined;
    };

export class Supervisors {
  readonly #parts: SupervisorParts;
  readonly #known = new Map<string, KnownSupervisor>();
  readonly #leaving = new Map<string, RunningSupervisor>(); // terminated, with publishing tasks
  readonly #every: Clock['every'];
  #stopLooking: (() => void) | undefined;
  #isClosed = false;

  /** Supervisors run after `start`. `every` is the clock's function. */
  constructor({
    every,
    ...parts
  }: Omit<SupervisorParts, 'wake' | 'keepScaled'> & Pick<Clock, 'every'>) {
    this.#every = every;
    this.#parts = {
      ...parts,
      wake: () => setImmediate(() => this.#look()).unref(),
      keepScaled: (spec, taskCount) => this.#keepScaled(spec, taskCount),
    };
  }

  /** Starts the stored supervisors; they continue at the committed offsets. */
  start(): void {
    for (const [id, stored] of listSupervisors(this.#parts.metadata)) {
      const spec = readStoredSpec(id, stored);
      if (spec.type === 'unreadable')
        logEvent('A stored supervisor cannot be read and does not run', { id, reason: spec.fault });
      this.#run(spec);
    }
  }

  /**
   * Runs the due checks of all supervisors; resolves when they have ended. Called automatically
   * every 200 ms.
   */
  async tick(): Promise<void> {
    if (this.#isClosed) return;
    for (const [id, supervisor] of this.#leaving) if (supervisor.isGone()) this.#leaving.delete(id);
    await Promise.all([...this.#known.values()].map(({ running }) => running?.runIfDue()));
  }

  /** All supervisors, sorted by id. */
  list = (): readonly KnownSupervisor[] =>
    [...this.#known.values()].sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));

  /** Throws a Refusal for an unknown id. */
  get(id: string): KnownSupervisor {
    const known = this.#known.get(id);
    if (!known) throw unknownSupervisor(id);
    return known;
  }

  /**
   * Creates or replaces a supervisor. It is on disk when this returns. Masked secrets keep their
   * stored values. Throws a Refusal for an invalid specification.
   */
  submit(
    given: Readonly<Record<string, unknown>>,
    skipRestartIfUnmodified: boolean,
    auditInfo: AuditInfo,
  ) {
    const { metadata, outside } = this.#parts;
    const { id } = parseSupervisorSpec(given);
    const versions = supervisorHistory(metadata, id).map((version) => version.spec);
    const former = this.#known.get(id)?.spec.stored ?? {};
    // A shown specification can be sent back: then scaling continues from its current number.
    const scaledTo = taskCountIn(given) === taskCountIn(former) ? taskCountIn(former) : undefined;
    const spec = parseSupervisorSpec(keepSecrets(given, versions), scaledTo);
    // Stored specifications skip these checks: they must stay visible and changeable.
    if (spec.type === 'kafka') {
      checkLockType(spec.context);
      checkConsumerProperties(spec.io.address.consumerProperties, outside);
    }
    const modified = !isDeepStrictEqual(this.#known.get(spec.id)?.spec.stored, spec.stored);
    const restarted = modified || !skipRestartIfUnmodified;
    if (modified) this.#keep(spec, auditInfo);
    if (restarted) this.#run(spec);
    return { id: spec.id, modified, restarted };
  }

  /** The datasources that supervisors of this id have written to; empty for an unknown id. */
  dataSourcesOf = (id: string): readonly string[] =>
    dataSourcesOfSupervisor(this.#parts.metadata, id);

  /**
   * Suspends or resumes a supervisor; returns its changed specification. Throws a Refusal when it
   * is already in this state.
   */
  setSuspended(id: string, suspended: boolean, auditInfo: AuditInfo): StoredSupervisorSpec {
    const { spec } = this.get(id);
    if (spec.suspended === suspended) throw suspended ? alreadySuspended(id) : alreadyRunning(id);
    const changed = parseStoredSpec({ ...spec.stored, suspended });
    this.#keep(changed, auditInfo);
    this.#run(changed);
    return changed.stored;
  }

  /** Suspends or resumes supervisors all of whose datasources are selected. */
  setAllSuspended(
    suspended: boolean,
    auditInfo: AuditInfo,
    isMeant: (dataSources: readonly string[]) => boolean,
  ): void {
    for (const { spec } of this.list())
      if (
        spec.type !== 'unreadable' &&
        spec.suspended !== suspended &&
        isMeant(this.dataSourcesOf(spec.id))
      )
        this.setSuspended(spec.id, suspended, auditInfo);
  }

  /**
   * Terminates a supervisor; its tasks publish their rows, and its history stays. Throws a Refusal
   * for an unknown id.
   */
  terminate(id: string): void {
    const { spec, running } = this.get(id);
    const { metadata, now } = this.#parts;
    metadata.transaction((tx) =>
      terminateSupervisor(tx, id, tombstoneFor(spec.dataSource), formatInstant(now())),
    );
    this.#known.delete(id);
    if (!running) return;
    void running.stop({ publish: true });
    if (!running.isGone()) this.#leaving.set(id, running);
  }

  /** Terminates supervisors all of whose datasources are selected. */
  terminateAll(isMeant: (dataSources: readonly string[]) => boolean): void {
    for (const { spec } of this.list())
      if (isMeant(this.dataSourcesOf(spec.id))) this.terminate(spec.id);
  }

  /**
   * Deletes all offsets; reading tasks stop without publication. Throws a Refusal for an unknown
   * id.
   */
  reset(id: string): void {
    const { running } = this.get(id);
    forgetOffsets(this.#parts.metadata, id);
    running?.discardTasks();
  }

  /**
   * Sets the offsets of some partitions; the tasks that read them stop without publication and
   * restart there.
   */
  resetOffsets(id: string, offsets: Offsets): void {
    const { spec, running } = this.get(id);
    if (!running) throw notResettable(id);
    commitOffsets(this.#parts.metadata, id, spec.io.address, offsets);
    running.discardTasks(new Set(offsets.keys()));
  }

  /**
   * Continues at the end of the stream, and creates another supervisor for the skipped records.
   * Throws a Refusal where the real engine does: the supervisor must be running, must not read from
   * the earliest offsets, and must allow concurrent writes.
   */
  async resetToLatest(id: string, taskCount: number | undefined, auditInfo: AuditInfo) {
    const { spec, running } = this.get(id);
    if (!running) throw notResettable(id);
    if (spec.io.useEarliestOffset) throw backfillNeeds(id, 'useEarliestOffset must be false');
    if (spec.context.useConcurrentLocks !== true && spec.context.useConcurrentLocks !== 'true')
      throw backfillNeeds(id, 'useConcurrentLocks must be true in its context');
    if (running.states.state !== 'RUNNING')
      throw backfillNeeds(id, `it must be RUNNING, but it is ${running.states.state}`);
    await running.refreshLag();
    const { metadata } = this.#parts;
    const latest = running.lag.latest;
    const behind = new Map(
      [...running.committed()].filter(
        ([partition, offset]) => offset < (latest.get(partition) ?? 0),
      ),
    );
    if (latest.size === 0)
      throw backfillNeeds(id, 'the latest offsets of its stream are not known yet');
    const backfillSupervisorId = `${id}_backfill_${randomLetters()}`;
    if (behind.size > 0) {
      const end = new Map(
        [...behind.keys()].map((partition) => [partition, latest.get(partition) ?? 0]),
      );
      this.submit(
        backfillOf(spec, backfillSupervisorId, { start: behind, end }, taskCount),
        false,
        auditInfo,
      );
    }
    commitOffsets(metadata, id, spec.io.address, latest);
    running.discardTasks();
    return { id, ...(behind.size > 0 && { backfillSupervisorId }) };
  }

  /** The specifications of a supervisor, newest first. Throws a Refusal for an unknown id. */
  history(id: string): StoredSupervisorVersion[] {
    const versions = supervisorHistory(this.#parts.metadata, id);
    if (versions.length === 0) throw noSupervisorHistory(id);
    return versions;
  }

  allHistory = (): Map<string, StoredSupervisorVersion[]> =>
    allSupervisorHistory(this.#parts.metadata);

  /** Closes with the service: tasks need not publish, because they end too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopLooking?.();
    await Promise.all(
      [...this.#known.values()].map(({ running }) => running?.stop({ publish: false })),
    );
  }

  // An operation that fails now because the disk is full is retried at the next check.
  #look(): void {
    this.tick().catch(logError);
  }

  #keep(spec: ParsedSpec, auditInfo: AuditInfo): void {
    const { metadata, now } = this.#parts;
    metadata.transaction((tx) => {
      setSupervisor(tx, spec.id, spec.stored, formatInstant(now()));
      addAuditEntry(tx, {
        key: spec.id,
        type: 'supervisor',
        auditInfo,
        payload: formatJson(spec.stored),
        timeMs: now(),
      });
    });
  }

  // Tasks are unchanged until the supervisor's next check.
  #keepScaled({ id, stored }: StreamSupervisorSpec, taskCount: number): StreamSupervisorSpec {
    const { metadata, now } = this.#parts;
    const parts = isObject(stored.spec) ? stored.spec : {};
    const ioConfig = isObject(parts.ioConfig) ? parts.ioConfig : {};
    const changed = parseStoredSpec({
      ...stored,
      spec: { ...parts, ioConfig: { ...ioConfig, taskCount } },
    });
    if (changed.type !== 'kafka') throw new Error(`Supervisor [${id}] does not read a stream`);
    metadata.transaction((tx) => setSupervisor(tx, id, changed.stored, formatInstant(now())));
    const known = this.#known.get(id);
    if (known?.running) this.#known.set(id, { spec: changed, running: known.running });
    logEvent('A supervisor changed its number of tasks', { id, taskCount });
    return changed;
  }

  #run(spec: ParsedSpec | UnreadableSpec): void {
    const former = this.#known.get(spec.id)?.running ?? this.#leaving.get(spec.id);
    void former?.stop({ publish: true });
    this.#leaving.delete(spec.id);
    if (spec.type !== 'kafka') this.#known.set(spec.id, { spec, running: undefined });
    else
      this.#known.set(spec.id, {
        spec,
        running: new RunningSupervisor(spec, this.#parts, former?.tasks),
      });
    this.#stopLooking ??= this.#every(200, () => this.#look());
  }
}

function backfillOf(
  { stored }: StreamSupervisorSpec,
  id: string,
  { start, end }: { start: Offsets; end: Offsets },
  taskCount: number | undefined,
) {
  const spec = isObject(stored.spec) ? stored.spec : {};
  const ioConfig = isObject(spec.ioConfig) ? spec.ioConfig : {};
  const boundedStreamConfig = {
    startSequenceNumbers: offsetMap(start),
    endSequenceNumbers: offsetMap(end),
  };
  const changed = {
    ...ioConfig,
    ...(taskCount !== undefined && { taskCount }),
    autoScalerConfig: null,
    boundedStreamConfig,
  };
  return { ...stored, id, spec: { ...spec, ioConfig: changed } };
}
