// Trouble that an operator can mend. Where in this program it was noticed helps nobody, so the log
// shows the sentence alone.
import { inspect } from 'node:util';

export class Notice extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }

  [inspect.custom](): string {
    return this.message;
  }
}
