// Functions that SQL and native expressions have in common, with the same meaning.

/** Marks a row of a function table: native expressions know the function by the same name. */
export const sameInNative = <Row extends object>(row: Row): Row & { readonly isNative: true } => ({
  ...row,
  isNative: true,
});
