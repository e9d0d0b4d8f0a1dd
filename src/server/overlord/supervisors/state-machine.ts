// State of a supervisor, derived from its runs and tasks (Druid: SupervisorStateManager,
// SeekableStreamSupervisorStateManager).

export type DetailedState =
  | 'PENDING'
  | 'CONNECTING_TO_STREAM'
  | 'DISCOVERING_INITIAL_TASKS'
  | 'CREATING_TASKS'
  | 'RUNNING'
  | 'IDLE'
  | 'SUSPENDED'
  | 'STOPPING'
  | 'COMPLETED'
  | 'UNHEALTHY_SUPERVISOR'
  | 'UNHEALTHY_TASKS'
  | 'UNABLE_TO_CONNECT_TO_STREAM'
  | 'LOST_CONTACT_WITH_STREAM';

/**
 * Numbers of consecutive runs or tasks that change a supervisor's state (properties
 * `druid.supervisor.*`).
 */
export interface Thresholds {
  readonly unhealthinessThreshold: number; // failed runs
  readonly healthinessThreshold: number; // successful runs after that
  readonly taskUnhealthinessThreshold: number; // failed tasks
  readonly taskHealthinessThreshold: number; // successful tasks after that
  readonly maxStoredExceptionEvents: number;
  readonly storeStackTrace: boolean;
}

export const defaultThresholds: Thresholds = {
  unhealthinessThreshold: 3,
  healthinessThreshold: 3,
  taskUnhealthinessThreshold: 3,
  taskHealthinessThreshold: 3,
  maxStoredExceptionEvents: 3,
  storeStackTrace: false,
};

/** An error in a run. `isStream` marks an error of the stream. */
export interface ExceptionEvent {
  readonly timeMs: number;
  readonly exceptionClass: string;
  readonly message: string;
  readonly isStream: boolean;
  readonly stackTrace: string | undefined;
}

/** State of one supervisor. `steady` is its state without problems. */
export class StateMachine {
  readonly #thresholds: Thresholds;
  readonly #errors: ExceptionEvent[] = [];
  #steady: 'RUNNING' | 'IDLE' | 'SUSPENDED' | 'COMPLETED';
  #state: DetailedState = 'PENDING';
  #hasRun = false; // at least one successful run
  #runIsGood = true;
  #runs: Streak = { good: 0, bad: 0 };
  #tasks: Streak = { good: 0, bad: 0 };

  constructor(thresholds: Thresholds, isSuspended: boolean) {
    this.#thresholds = thresholds;
    this.#steady = isSuspended ? 'SUSPENDED' : 'RUNNING';
  }

  get detailedState(): DetailedState {
    return this.#state;
  }

  get state(): DetailedState {
    return basicStates[this.#state] ?? this.#state;
  }

  get isHealthy(): boolean {
    return !this.state.startsWith('UNHEALTHY_');
  }

  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** The most recent errors, the latest at the end. */
  get errors(): readonly ExceptionEvent[] {
    return this.#errors;
  }

  /** Enters a step of the first run; later runs only confirm the current state. */
  begins(step: 'CONNECTING_TO_STREAM' | 'DISCOVERING_INITIAL_TASKS' | 'CREATING_TASKS'): void {
    this.#move(this.#hasRun ? this.#steady : step);
  }

  /** Sets the state that represents a supervisor without problems from now on. */
  settles(steady: 'RUNNING' | 'IDLE' | 'COMPLETED'): void {
    if (this.#steady !== 'SUSPENDED') this.#steady = steady;
  }

  failed(event: ExceptionEvent): void {
    this.#runIsGood = false;
    this.#errors.push(
      this.#thresholds.storeStackTrace ? event : { ...event, stackTrace: undefined },
    );
    if (this.#errors.length > this.#thresholds.maxStoredExceptionEvents) this.#errors.shift();
  }

  taskEnded(isGood: boolean): void {
    this.#tasks = continueWith(this.#tasks, isGood);
  }

  runEnded(): void {
    this.#hasRun ||= this.#runIsGood;
    this.#runs = continueWith(this.#runs, this.#runIsGood);
    this.#move(this.#steady);
    this.#runIsGood = true;
  }

  stops(): void {
    this.#state = 'STOPPING';
  }

  #move(wanted: DetailedState): void {
    const {
      unhealthinessThreshold,
      healthinessThreshold,
      taskUnhealthinessThreshold,
      taskHealthinessThreshold,
    } = this.#thresholds;
    if (this.#state === 'STOPPING') return;
    if (this.#runs.bad >= unhealthinessThreshold) this.#state = this.#unhealthySupervisor();
    else if (this.#tasks.bad >= taskUnhealthinessThreshold) this.#state = 'UNHEALTHY_TASKS';
    else if (this.state === 'UNHEALTHY_SUPERVISOR' && this.#runs.good < healthinessThreshold)
      return;
    else if (this.state === 'UNHEALTHY_TASKS' && this.#tasks.good < taskHealthinessThreshold)
      return;
    // Before the first successful run, its steps are more informative
    else if (wanted !== this.#steady || this.#hasRun) this.#state = wanted;
  }

  #unhealthySupervisor(): DetailedState {
    if (!this.#errors.at(-1)?.isStream) return 'UNHEALTHY_SUPERVISOR';
    return this.#hasRun ? 'LOST_CONTACT_WITH_STREAM' : 'UNABLE_TO_CONNECT_TO_STREAM';
  }
}

interface Streak {
  readonly good: number;
  readonly bad: number;
}

const continueWith = ({ good, bad }: Streak, isGood: boolean): Streak =>
  isGood ? { good: good + 1, bad: 0 } : { good: 0, bad: bad + 1 };

const basicStates: Partial<Record<DetailedState, DetailedState>> = {
  CONNECTING_TO_STREAM: 'RUNNING',
  DISCOVERING_INITIAL_TASKS: 'RUNNING',
  CREATING_TASKS: 'RUNNING',
  UNABLE_TO_CONNECT_TO_STREAM: 'UNHEALTHY_SUPERVISOR',
  LOST_CONTACT_WITH_STREAM: 'UNHEALTHY_SUPERVISOR',
};
