// Functions that SQL and native expressions share, with the same meaning.

/** Marks a row of a function table: native expressions have the function under the same name. */
export const sameInNative = <Row extends object>(row: Row): Row & { readonly isNative: true } => ({
  ...row,
  isNative: true,
});
