// Users, roles and group mappings of basic security. Users of an authenticator and users of an
// authorizer are separate.
export const security = `
CREATE TABLE authenticator_users (
  authenticator TEXT NOT NULL,
  name TEXT NOT NULL,
  credentials TEXT, -- {salt, hash, iterations}; NULL until a password is set
  PRIMARY KEY (authenticator, name)
) WITHOUT ROWID;
CREATE TABLE authorizer_users (
  authorizer TEXT NOT NULL,
  name TEXT NOT NULL,
  roles TEXT NOT NULL, -- names
  PRIMARY KEY (authorizer, name)
) WITHOUT ROWID;
CREATE TABLE authorizer_roles (
  authorizer TEXT NOT NULL,
  name TEXT NOT NULL,
  permissions TEXT NOT NULL, -- [{resource: {name, type}, action}]
  PRIMARY KEY (authorizer, name)
) WITHOUT ROWID;
CREATE TABLE authorizer_groups (
  authorizer TEXT NOT NULL,
  name TEXT NOT NULL,
  pattern TEXT NOT NULL,
  roles TEXT NOT NULL, -- names
  PRIMARY KEY (authorizer, name)
) WITHOUT ROWID`;
