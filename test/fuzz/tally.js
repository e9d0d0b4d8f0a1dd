// Counts of what two services answered, and the classes of their differences, for the reports of
// the random comparisons.
import { appendFileSync, writeFileSync } from 'node:fs';

const agreements = {
  answered: 'valuesAgree',
  refused: 'refusalsAgree',
  failed: 'failuresAgree',
};

export class Tally {
  asked = 0;
  answered = 0;
  refused = 0;
  failed = 0;
  valuesAgree = 0;
  refusalsAgree = 0;
  failuresAgree = 0;
  explained = 0;
  internal = 0;
  slow = 0;
  #classes = new Map();
  #known;
  #failures;

  /**
   * @param {readonly object[]} known differences with their reasons
   * @param {string | undefined} failures the file for all other differences
   */
  constructor(known, failures) {
    this.#known = known;
    this.#failures = failures;
    if (failures) writeFileSync(failures, '');
  }

  /** What became of a query there: answered, refused by a rule, or failed while it ran. */
  fateOf({ status }) {
    if (status === 200) return 'answered';
    return status >= 500 && status !== 501 ? 'failed' : 'refused';
  }

  agrees(fate) {
    this[agreements[fate]]++;
  }

  /** Counts a difference in its class, or with the reason for which it is known. */
  differs(name, statement, difference, original) {
    const reason = this.#reasonOf(difference, statement);
    if (reason !== undefined) this.explained++;
    this.note(
      reason === undefined ? name : `KNOWN ${reason}`,
      statement,
      difference,
      original,
      reason,
    );
  }

  note(name, statement, difference, original, reason) {
    const one = this.#classes.get(name) ?? { count: 0, statement, detail: difference.detail };
    one.count++;
    if (statement.length < one.statement.length)
      Object.assign(one, { statement, detail: difference.detail });
    this.#classes.set(name, one);
    if (this.#failures && reason === undefined)
      appendFileSync(
        this.#failures,
        `${JSON.stringify({ class: name, statement, ...difference, original })}\n`,
      );
  }

  #reasonOf({ kind, detail }, statement) {
    return this.#known.find(
      (one) =>
        one.kinds.includes(kind) &&
        (one.statement ?? []).every((words) => statement.includes(words)) &&
        (one.detail ?? []).every((words) => detail.includes(words)),
    )?.reason;
  }

  /** Prints all classes and counts; sets the exit code. @param {string} title of the run */
  report(title) {
    for (const [name, { count, statement, detail }] of [...this.#classes].sort(
      ([, a], [, b]) => a.count - b.count,
    )) {
      console.log(`${count} × ${name}\n    ${statement}\n    ${detail}`);
    }
    console.log(
      `answered there: ${share(this.valuesAgree, this.answered)} agree; refused there: ${share(this.refusalsAgree, this.refused)} agree; failed there: ${share(this.failuresAgree, this.failed)} agree`,
    );
    const agreed = this.valuesAgree + this.refusalsAgree + this.failuresAgree;
    const unexplained = this.asked - agreed - this.explained;
    console.log(
      `internal errors: ${this.internal}; slow: ${this.slow}; explained: ${this.explained}`,
    );
    console.log(`${title}: ${this.asked} statements, ${unexplained} unexplained differences`);
    process.exitCode = unexplained + this.internal + this.slow > 0 ? 1 : 0;
  }
}

const share = (part, whole) =>
  `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(2)} %)`;
