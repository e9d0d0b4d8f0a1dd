// Error that an operator can fix. Its stack is not useful, so the log shows the message alone.
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
