//! Runs kept in SQLite: schema, migrations, selection; the import of other tools' results.
