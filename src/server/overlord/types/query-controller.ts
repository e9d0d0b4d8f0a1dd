// SQL tasks: one controller and one worker run a statement in stages (Druid: multi-stage-query).

import { totalmem } from 'node:os';
import type { Dialect } from '../../../model/dialect.ts';
import type { Interval } from '../../../model/interval.ts';
import type {
  IngestStatement,
  SelectStatement,
  TranslatedStatement,
} from '../../../sql/statement.ts';
import { isObject, SpecFields } from '../../checks/spec-fields.ts';
import {
  cancellationOf,
  failureOf,
  isRetryable,
  notSupported,
  type QueryFailed,
  tooManyAttempts,
  tooManyWorkers,
} from '../../statements/faults.ts';
import type { LookupFiles } from '../../storage/lookup-files.ts';
import type { Metadata } from '../../storage/metadata.ts';
import { forgetUpgrades } from '../../storage/upgrade-segments.ts';
import { locksOn } from '../../tasks/batch-run.ts';
import { statementLockType } from '../../tasks/lock-types.ts';
import type { RunningTask, TaskType } from '../../tasks/task-type.ts';
import { MultiStageReportBuilder } from '../multi-stage/report.ts';
import { type QuerySettings, settingsIn } from '../multi-stage/settings.ts';
import { findOverwritten } from '../multi-stage/target.ts';
import { maxRelaunches, Workers } from '../multi-stage/workers.ts';
import { type StatementParts, statementOf } from './controlled-statement.ts';
import { type AttemptServices, QueryAttempt } from './query-attempt.ts';

export interface ControllerParts extends StatementParts, AttemptServices {
  readonly metadata: Metadata;
  readonly lookupFiles: LookupFiles;
  readonly worker: { readonly host: string }; // and port, for reports
  readonly capacity: number; // task slots
  readonly dialect: Dialect;
}

/** Type of query_controller tasks. The SQL endpoints create them. */
export const queryController = (parts: ControllerParts): TaskType => ({
  priority: 50,
  // The controller and its first worker start together, so that controllers never wait for each
  // other's slots
  slots: () => 2,
  prepare(given) {
    const fields = new SpecFields(given, '');
    const dataSource = fields.text('dataSource');
    fields.text('sqlQuery');
    const { type: _, id: __, groupId: ___, resource: ____, context: _____, ...payload } = given;
    return { dataSource, payload };
  },
  locks: ({ spec, sqlQueryContext }) =>
    locksOn(replacedIntervalsOf(spec), statementLockType(sqlQueryContext, true)),
  async run(task) {
    const query = new ControlledQuery(task, parts);
    task.reportWith(() => query.report.json(task.payload.context));
    await query.run();
  },
});

// The time chunks of a REPLACE are locked before it starts (Druid: MSQControllerTask.isReady). An
// INSERT determines its locks from its rows.
function replacedIntervalsOf(spec: unknown): readonly Interval[] {
  const destination = isObject(spec) && isObject(spec.destination) ? spec.destination : {};
  return (
    new SpecFields(destination, 'spec.destination').optionalIntervals('replaceTimeChunks') ?? []
  );
}

class ControlledQuery {
  readonly report: MultiStageReportBuilder;
  readonly #task: RunningTask;
  readonly #parts: ControllerParts;

  constructor(task: RunningTask, parts: ControllerParts) {
    this.#task = task;
    this.#parts = parts;
    this.report = new MultiStageReportBuilder(task.id, task.startedMs, parts.now, parts.dialect);
    this.report.host = parts.worker.host;
  }

  async run(): Promise<void> {
    const task = this.#task;
    const letGo = this.#parts.lookupFiles.hold();
    try {
      const planned = await this.#statement();
      const statement = (await this.#lock(planned)) ? await this.#statement() : planned;
      if (statement.kind === 'explain') throw notSupported('EXPLAIN does not run as a task');
      const settings = settingsIn(statement.context);
      if (settings.maxWorkers > maxWorkers) throw tooManyWorkers(settings.maxWorkers, maxWorkers);
      await this.#attempts(statement, settings);
    } catch (error) {
      const failure = task.signal.aborted
        ? cancellationOf('TASK_SHUTDOWN')
        : this.#failureOf(error);
      this.report.end(failure.fault, failure.cause instanceof Error ? failure.cause : undefined);
      throw failure;
    } finally {
      letGo();
    }
  }

  #statement(): Promise<TranslatedStatement> {
    const { payload, signal } = this.#task;
    return statementOf(payload, this.#parts, { signal });
  }

  #failureOf(error: unknown, settings?: QuerySettings): QueryFailed {
    const { engine, capacity } = this.#parts;
    const { memoryBytes, threads } = engine.limits;
    return failureOf(error, {
      serverMemory: totalmem(),
      usableMemory: memoryBytes,
      serverWorkers: capacity,
      serverThreads: threads,
      inputWorkers: settings?.maxWorkers ?? 1,
    });
  }

  // The replaced intervals are locked before they are read, and the read sees the data at that
  // time: segments appended later are not read, and survive the replacement.
  async #lock(statement: TranslatedStatement): Promise<boolean> {
    const targets =
      statement.kind === 'replace' && statement.target.kind !== 'export'
        ? findOverwritten(statement)
        : undefined;
    if (!targets) return false;
    await this.#task.lock(locksOn(targets, statementLockType(statement.context, true)));
    forgetUpgrades(this.#parts.metadata, this.#task.id);
    return true;
  }

  // In fault tolerance mode, a failed worker is relaunched, together with all others: their input
  // was lost with the session.
  async #attempts(
    statement: SelectStatement | IngestStatement,
    settings: QuerySettings,
  ): Promise<void> {
    const task = this.#task;
    let slots = 1;
    for (let attempt = 0; ; attempt++) {
      const workers = new Workers(task, this.report, this.#parts.now, attempt, slots);
      try {
        const { report } = this;
        await new QueryAttempt({ ...this.#parts, task, report, settings, workers }).run(statement);
        return;
      } catch (error) {
        const failure = task.signal.aborted
          ? cancellationOf('TASK_SHUTDOWN')
          : this.#failureOf(workers.signal.aborted ? workers.signal.reason : error, settings);
        workers.fail(failure.message);
        if (!settings.faultTolerance || !isRetryable(failure)) throw failure;
        if (attempt === maxRelaunches)
          throw tooManyAttempts(maxRelaunches, workers.idOf(0), 0, failure.message);
        task.log(
          `Attempt [${attempt + 1}] failed; the task retries it: ${failure.message}`,
          'WARN',
        );
        slots = workers.slots;
        this.report.again();
      }
    }
  }
}

const maxWorkers = 1000;
