/** A key as node:readline reports it; the text beside it is missing for keys without one. */
export interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}
