// Revision number of a lookup: data derived from its pairs is cached until the number changes.
export const lookupRevisions = `
CREATE TABLE lookup_revisions (
  revision INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
  tier TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (tier, name)
) STRICT;
INSERT INTO lookup_revisions (tier, name) SELECT tier, name FROM lookups;
CREATE TRIGGER lookup_inserted AFTER INSERT ON lookups BEGIN
  INSERT INTO lookup_revisions (tier, name) VALUES (new.tier, new.name);
END;
CREATE TRIGGER lookup_updated AFTER UPDATE ON lookups BEGIN
  DELETE FROM lookup_revisions WHERE tier = new.tier AND name = new.name;
  INSERT INTO lookup_revisions (tier, name) VALUES (new.tier, new.name);
END;
CREATE TRIGGER lookup_deleted AFTER DELETE ON lookups BEGIN
  DELETE FROM lookup_revisions WHERE tier = old.tier AND name = old.name;
END`;
