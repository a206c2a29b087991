//! Databases in which every table has rows that are hard to copy: NULL in every column that
//! allows it, Unicode, the character NUL, the smallest and largest numbers, a large picture,
//! more rows than a page has.

use parlor_database::transfer::{Component, Table};
use parlor_database::{Batch, Database, Kind, Row, SchemaColumn, Value, query};

/// Two full pages and a bit.
const ROWS: i64 = 1_003;
/// Tables that have one row, numbered 1.
pub(crate) const SINGLE: &[&str] = &["push_keys"];
/// More bytes than a page has, in one row.
const LARGE: usize = 9 << 20;

/// Fills every table of a component. Rows contradict each other: a copy does not care.
pub(crate) async fn fill(database: &Database, component: &Component) {
    let schema = database.schema().await.unwrap();
    for table in component.tables {
        for first in (0..ROWS).step_by(100) {
            let mut batch = Batch::default();
            for number in first..ROWS.min(first + 100) {
                if number == 1 || !SINGLE.contains(&table.name) {
                    add(&mut batch, table, &schema, number);
                }
            }
            if !batch.is_empty() {
                database.run(batch).await.unwrap();
            }
        }
    }
}

/// All values of all rows, by key, with the character NUL as PostgreSQL stores it.
pub(crate) async fn dump(database: &Database, component: &Component) -> Vec<String> {
    let mut lines = Vec::new();
    for table in component.tables {
        let mut of_table = Vec::new();
        let columns: Vec<(&str, Kind)> = table.columns().collect();
        // One row at a time would take long, all at once much memory: the pictures are few.
        for row in query(format!("SELECT * FROM {}", table.name)).fetch_all(database).await.unwrap()
        {
            let values: Vec<String> = columns.iter().map(|column| shown(&row, *column)).collect();
            of_table.push(format!("{}: {}", table.name, values.join(" | ")));
        }
        of_table.sort();
        lines.extend(of_table);
    }
    lines
}

fn add(batch: &mut Batch, table: &Table, schema: &[SchemaColumn], number: i64) {
    let columns: Vec<(&str, Kind)> = table.columns().collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let numbers: Vec<String> = (1..=names.len()).map(|number| format!("${number}")).collect();
    let (names, numbers) = (names.join(", "), numbers.join(", "));
    batch.add(format!("INSERT INTO {} ({names}) VALUES ({numbers})", table.name));
    for (name, kind) in columns {
        let column = schema.iter().find(|c| c.table == table.name && c.name == name).unwrap();
        batch.bind(value(table, column, kind, number));
    }
}

fn value(table: &Table, column: &SchemaColumn, kind: Kind, number: i64) -> Value {
    let is_null = column.nullable && number % 3 == 0;
    // Rows share the first part of a key that has several.
    let is_shared = column.in_key && table.key.len() > 1 && table.key[0] == column.name;
    match kind {
        Kind::Text if is_null => Value::Text(None),
        Kind::Text if is_shared => Value::from(format!("{}-{}", column.name, number / 7)),
        // Engines sort these differently.
        Kind::Text if column.in_key && number % 2 == 0 => Value::from(format!("B é-{number}")),
        Kind::Text if column.in_key => Value::from(format!("a-{number}")),
        Kind::Text => Value::from(format!("{} {number} é 漢字 🍲 a\0b \"'\\\n", column.name)),
        Kind::Integer if is_null => Value::Integer(None),
        Kind::Integer if column.in_key => Value::from(number),
        Kind::Integer => Value::from([number, i64::MAX, i64::MIN][(number % 3) as usize]),
        Kind::Boolean => Value::from(number % 2 == 0),
        Kind::Bytes if number == 5 => Value::from(vec![0xA5; LARGE]),
        Kind::Bytes => Value::from(number.to_le_bytes().to_vec()),
    }
}

fn shown(row: &Row, (name, kind): (&str, Kind)) -> String {
    match kind {
        Kind::Text => {
            let text: Option<String> = row.try_get(name).unwrap();
            format!("{:?}", text.map(|text| text.replace('\0', "\u{FFFD}")))
        }
        Kind::Integer => format!("{:?}", row.try_get::<Option<i64>>(name).unwrap()),
        Kind::Boolean => format!("{:?}", row.try_get::<bool>(name).unwrap()),
        Kind::Bytes => {
            let bytes: Vec<u8> = row.try_get(name).unwrap();
            format!("{} bytes, {:?}", bytes.len(), &bytes[..8.min(bytes.len())])
        }
    }
}
