// Classes of errors of the engine's JSON parser (Jackson), which replies name.

export const parserClasses = {
  broken: 'com.fasterxml.jackson.core.JsonParseException',
  construction: 'com.fasterxml.jackson.databind.exc.ValueInstantiationException',
  cut: 'com.fasterxml.jackson.core.io.JsonEOFException',
  definition: 'com.fasterxml.jackson.databind.exc.InvalidDefinitionException',
  format: 'com.fasterxml.jackson.databind.exc.InvalidFormatException',
  mapping: 'com.fasterxml.jackson.databind.JsonMappingException',
  mismatch: 'com.fasterxml.jackson.databind.exc.MismatchedInputException',
  typeId: 'com.fasterxml.jackson.databind.exc.InvalidTypeIdException',
} as const;
