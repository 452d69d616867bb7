-- Records that a step has run, in the transaction that ran it.
INSERT INTO onceward_migration (component, version) VALUES (?1, ?2)
